'use strict'

/* global self, PouchDB */

describe('pouchdb-adapter-level in tabs and workers', () => {
  const { assert, uniqueName, later } = window.page
  let name
  beforeEach(() => { name = uniqueName('shared') })

  /** A tab or worker in which `db` is the database that all share, and `heard` is what its feed tells. */
  async function open (kind) {
    const peer = await window.peers.open(kind)
    await peer.call(async name => {
      const scope = /** @type {any} */ (self)
      scope.db = new PouchDB(name, { adapter: 'level' })
      scope.heard = []
      await scope.db.info()
      await new Promise(resolve => navigator.locks.request('own', { mode: 'shared' }, async () => {
        scope.ownId = (await navigator.locks.query()).held.filter(lock => lock.name === 'own').at(-1).clientId
        resolve(undefined)
      }))
    }, name)
    return peer
  }

  /** Which of them leads: who holds the lock of the database. */
  async function leaderOf (...peers) {
    const held = (await navigator.locks.query()).held.filter(lock => lock.name === `potoroo-${name}`)
    assert.strictEqual(held.length, 1)
    const ids = await Promise.all(peers.map(peer => peer.call(() => /** @type {any} */ (self).ownId)))
    return ids.indexOf(held[0].clientId)
  }

  const follow = peer => peer.call(() => {
    const { db, heard } = /** @type {any} */ (self)
    db.changes({ live: true, since: 0 }).on('change', ({ id }) => { heard.push(id) })
  })

  /** Fulfils once its feed has told that many. */
  const hears = (peer, count) => peer.call(count => new Promise(resolve => {
    const { heard } = /** @type {any} */ (self)
    const look = () => new Set(heard).size >= count ? resolve(heard) : setTimeout(look, 10)
    look()
  }), count)

  for (const kinds of [['worker', 'worker', 'tab'], ['tab', 'worker', 'worker'], ['tab', 'tab', 'tab']]) {
    describe(`a ${kinds[0]} that leads, a ${kinds[1]} and a ${kinds[2]}`, () => {
      let leader, writer, other
      beforeEach(async () => {
        const peers = []
        for (const kind of kinds) peers.push(await open(kind))
        ;[leader, writer, other] = peers
        later(() => new PouchDB(name, { adapter: 'level' }).destroy().catch(() => {}))
        assert.strictEqual(await leaderOf(...peers), 0)
      })

      it('see what another writes, in feeds, queries and finds', async () => {
        for (const peer of [leader, other]) await follow(peer)
        const written = await writer.call(() => /** @type {any} */ (self).db.bulkDocs([{ _id: 'a', n: 1 }, { _id: 'b', n: 2 }]))
        for (const peer of [leader, other]) {
          assert.deepEqual(await hears(peer, 2), ['a', 'b'])
          const [doc, rows] = await peer.call(async () => {
            const { db } = /** @type {any} */ (self)
            return [await db.get('b'), (await db.query(doc => { emit(doc.n) })).rows.map(({ key }) => key)] // eslint-disable-line no-undef
          })
          assert.deepEqual([doc, rows], [{ _id: 'b', _rev: written[1].rev, n: 2 }, [1, 2]])
        }
      })

      it('lose no increment of a counter that all of them change at once', async () => {
        const increments = 20
        await leader.call(() => /** @type {any} */ (self).db.put({ _id: 'counter', n: 0 }))
        const conflicts = await Promise.all([leader, writer, other].map(peer => peer.call(async increments => {
          const { db } = /** @type {any} */ (self)
          let conflicts = 0
          for (let done = 0; done < increments;) {
            const doc = await db.get('counter')
            try {
              await db.put({ ...doc, n: doc.n + 1 })
              done++
            } catch (error) {
              if (error.status !== 409) throw error
              conflicts++
            }
          }
          return conflicts
        }, increments)))
        const { n, _rev: rev } = await other.call(() => /** @type {any} */ (self).db.get('counter'))
        assert.strictEqual(n, 3 * increments)
        assert.strictEqual(Number.parseInt(rev), 3 * increments + 1)
        assert.isAbove(conflicts.reduce((sum, each) => sum + each), 0, 'they have met')
      })

      it('go on when the leader is killed: what was acknowledged is there, and feeds miss nothing', async () => {
        await follow(other)
        await writer.call(() => {
          const scope = /** @type {any} */ (self)
          scope.written = []
          scope.writing = (async () => {
            for (let n = 0; !scope.isEnough; n++) scope.written.push((await scope.db.put({ _id: `doc-${n}` })).id)
          })()
        })
        const reaches = count => writer.call(count => new Promise(resolve => {
          const scope = /** @type {any} */ (self)
          const look = () => scope.written.length >= count ? resolve(scope.written.length) : setTimeout(look, 1)
          look()
        }), count)
        const before = await reaches(10)
        await leader.kill()
        await reaches(before + 10)
        const written = await writer.call(async () => {
          const scope = /** @type {any} */ (self)
          scope.isEnough = true
          await scope.writing
          return scope.written
        })
        assert.include([0, 1], await leaderOf(writer, other))
        const ids = await other.call(async () => (await /** @type {any} */ (self).db.allDocs()).rows.map(({ id }) => id))
        assert.sameMembers(ids, written)
        assert.deepEqual(await hears(other, written.length), written)
      })
    })
  }
})
