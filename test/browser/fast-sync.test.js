'use strict'

/* global self, PouchDB, fastSync */

describe('a first sync by pouchdb-fast-sync', () => {
  const { assert, admin, urlOf, asAdmin, uniqueName } = window.page
  const DOCUMENTS = 5000
  /** Every fiftieth document has an attachment. */
  const EVERY = 50
  let url, name, revisions

  /** Every other attachment is a text, which the server keeps compressed. */
  const typeOf = n => n % (2 * EVERY) === 0 ? 'application/octet-stream' : 'text/plain'

  /** The same for the same document: a text that says little, or bytes that no compression makes small. */
  const attachmentOf = n => btoa(typeOf(n) === 'text/plain' ? `${n} little words `.repeat(500) : Array.from({ length: 1500 }, (_, i) => String.fromCharCode((i * i + n * 7 + (i >> 3)) % 256)).join(''))

  before(async () => {
    name = uniqueName('first-sync')
    await asAdmin('PUT', `/${name}`)
    url = urlOf(name).replace('//', `//${admin.username}:${admin.password}@`)
    revisions = new Map()
    for (let from = 0; from < DOCUMENTS; from += 500) {
      const docs = Array.from({ length: 500 }, (_, i) => from + i).map(n => ({
        _id: `doc-${10_000 + n}`,
        n,
        text: 'some words that say little '.repeat(4),
        ...n % EVERY === 0 && { _attachments: { file: { content_type: typeOf(n), data: attachmentOf(n) } } }
      }))
      for (const { id, rev } of await asAdmin('POST', `/${name}/_bulk_docs`, { docs })) revisions.set(id, rev)
    }
  })
  after(() => asAdmin('DELETE', `/${name}`))

  /** A tab that counts its requests, and can replicate into a database of its own. */
  async function openTab (isFast) {
    const tab = await window.peers.open('tab')
    await tab.call((url, isFast) => {
      const scope = /** @type {any} */ (self)
      if (isFast) PouchDB.plugin(fastSync)
      scope.requests = []
      scope.read = 0
      scope.remote = new PouchDB(url, {
        skip_setup: true,
        fetch: (asked, options) => {
          scope.requests.push(String(asked))
          return PouchDB.fetch(asked, options)
        }
      })
      scope.replicate = async (name, adapter) => {
        scope.db = new PouchDB(name, { adapter })
        const replication = scope.db.replicate.from(scope.remote)
        replication.on('change', ({ docs_read: read }) => { scope.read = read })
        const { docs_read: read } = await replication
        return { read, requests: scope.requests }
      }
    }, url, isFast)
    return tab
  }

  const replicate = (tab, name, adapter) => tab.call((name, adapter) => /** @type {any} */ (self).replicate(name, adapter), name, adapter)
  const streams = requests => requests.filter(request => request.includes('feed=replication')).length

  /** Reads the revisions and attachments of a database in a tab. */
  const contentOf = tab => tab.call(async () => {
    const { db } = /** @type {any} */ (self)
    const { rows } = await db.allDocs({ include_docs: true })
    const attached = rows.filter(({ doc }) => doc._attachments !== undefined)
    const files = []
    for (const { id } of attached) {
      const bytes = new Uint8Array(await (await db.getAttachment(id, 'file')).arrayBuffer())
      files.push([id, btoa(String.fromCharCode(...bytes))])
    }
    return { revisions: rows.map(({ id, value }) => [id, value.rev]), files }
  })

  async function assertWhole (tab) {
    const { revisions: found, files } = await contentOf(tab)
    assert.deepEqual(new Map(found), revisions)
    assert.strictEqual(files.length, DOCUMENTS / EVERY)
    for (const [id, data] of files) assert.strictEqual(data, attachmentOf(Number(id.slice(4)) - 10_000), id)
  }

  let own
  it('takes more than a hundred requests without it', async () => {
    const tab = await openTab(false)
    const { read, requests } = await replicate(tab, uniqueName('own'), 'level')
    assert.strictEqual(read, DOCUMENTS)
    assert.strictEqual(streams(requests), 0)
    own = requests.length
    assert.isAbove(own, 100)
    await tab.call(() => /** @type {any} */ (self).db.destroy())
  })

  for (const adapter of ['level', 'idb']) {
    it(`takes a fifth of the requests into ${adapter}, by one stream, and brings attachments`, async () => {
      const tab = await openTab(true)
      const { read, requests } = await replicate(tab, uniqueName('fast'), adapter)
      assert.strictEqual(read, DOCUMENTS)
      assert.strictEqual(streams(requests), 1)
      assert.isAtMost(requests.length * 5, own, requests.join('\n'))
      await assertWhole(tab)
      await tab.call(() => /** @type {any} */ (self).db.destroy())
    })

    it(`goes on from its checkpoint into ${adapter} after its tab was killed amid the stream`, async () => {
      const name = uniqueName('interrupted')
      const first = await openTab(true)
      const reached = await first.call((name, adapter) => {
        const scope = /** @type {any} */ (self)
        scope.replicate(name, adapter)
        return new Promise(resolve => {
          const look = () => scope.read >= 1000 ? resolve(scope.requests) : setTimeout(look, 5)
          look()
        })
      }, name, adapter)
      assert.strictEqual(streams(reached), 1)
      first.kill()

      const second = await openTab(true)
      const { read, requests } = await replicate(second, name, adapter)
      assert.isBelow(read, DOCUMENTS)
      assert.isAbove(read, 0)
      assert.strictEqual(streams(requests), 1)
      assert.isAtMost((reached.length + requests.length) * 5, own, [...reached, ...requests].join('\n'))
      await assertWhole(second)
      await second.call(() => /** @type {any} */ (self).db.destroy())
    })
  }

  it('leaves a server that PouchDB alone goes on with', async () => {
    const name = uniqueName('own-after')
    const fast = await openTab(true)
    await replicate(fast, name, 'level')
    await fast.call(() => /** @type {any} */ (self).db.close())
    const plain = await openTab(false)
    const { read } = await replicate(plain, name, 'level')
    assert.strictEqual(read, 0)
    await plain.call(() => /** @type {any} */ (self).db.destroy())
  })
})
