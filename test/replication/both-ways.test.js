'use strict'

const assert = require('node:assert/strict')
const { contentsOf } = require('./support/contents')
const { OwnServer, Server } = require('./support/server')
const { changeSome, fillWithVariety } = require('./support/variety')

/** Whom ours replicates with: another of ours and, where `COUCHDB_URL` names one, a CouchDB. */
const peers = [['another of ours', () => OwnServer.start()]]
if (process.env.COUCHDB_URL !== undefined) peers.push(['a CouchDB', async () => new Server(process.env.COUCHDB_URL)])

for (const [kind, start] of peers) {
  describe(`replication with ${kind}`, function () {
    this.timeout(600_000)
    /** @type {OwnServer} */
    let ours
    let peer
    const made = []

    before(async () => {
      [ours, peer] = await Promise.all([OwnServer.start(), start()])
      for (const [server, name] of [[ours, 'source'], [peer, 'replicator-source']]) await fillWithVariety(server, name)
    })
    after(async () => {
      for (const name of [...made, 'replicator-source']) await (await peer.fetch('DELETE', name)).arrayBuffer()
      await Promise.all([ours.remove(), peer.remove?.()])
    })

    /** A database of the peer that goes with the test. */
    const there = name => {
      made.push(name)
      return name
    }

    const ways = [
      ['pulls, by ours', () => [ours, peer, 'replicator-source', ours, 'pulled']],
      ['pulls into a database by its name', () => [ours, peer, 'replicator-source', ours, 'pulled-by-name', 'pulled-by-name']],
      ['pushes, by ours', () => [ours, ours, 'source', peer, there('replicator-pushed')]],
      ['is pulled from, by the peer', () => [peer, ours, 'source', peer, there('replicator-pulled')]],
      ['is pushed to, by the peer', () => [peer, peer, 'replicator-source', ours, 'pushed']],
      ['is between two others', () => [ours, peer, 'replicator-source', peer, there('replicator-between')]]
    ]
    for (const [way, endpoints] of ways) {
      it(`keeps all there is when it ${way}`, async () => {
        const [by, from, source, to, target, given = to.urlOf(target)] = endpoints()
        const first = await by.replicate(from.urlOf(source), given, { create_target: true })
        assert.equal(first.history[0].doc_write_failures, 0)
        assert.deepEqual(await contentsOf(to, target), await contentsOf(from, source))
        const again = await by.replicate(from.urlOf(source), given)
        assert.equal(again.no_changes, true)
        assert.equal(again.session_id, first.session_id)
        await changeSome(from, source)
        const last = await by.replicate(from.urlOf(source), given)
        assert.equal(last.history.length, 2)
        assert.equal(last.history[0].start_last_seq, first.source_last_seq)
        assert.deepEqual(await contentsOf(to, target), await contentsOf(from, source))
      })
    }

    it('copies what filters let through', async () => {
      for (const [options, expected] of [
        [{ filter: 'f/few', query_params: { below: '3' } }, ['d0', 'd1', 'd2', 'many files']],
        [{ selector: { n: { $gte: 98, $lt: 1000 } } }, ['d98', 'd99']],
        [{ doc_ids: ['d1', 'ünï/cödé ☃ %2B&?%2541', 'none'] }, ['d1', 'ünï/cödé ☃ +&?%41']],
        [{ filter: '_design' }, ['_design/f']]
      ]) {
        await ours.create('filtered')
        await ours.replicate(peer.urlOf('replicator-source'), 'filtered', options)
        const { rows } = await ours.ask('GET', 'filtered/_all_docs')
        assert.deepEqual(rows.map(({ id }) => id), expected)
      }
    })

    it('copies winners only', async () => {
      await ours.create('winners')
      await ours.replicate(peer.urlOf('replicator-source'), 'winners', { winning_revs_only: true })
      assert.deepEqual(Object.keys((await contentsOf(ours, 'winners')).conflict), ['1-bb'])
    })

    it('copies revisions of any form', async () => {
      const revs = ['1-', '1-a b', '1-a/b', '1-a-b', '1-%2F', '1-?a=b&c#d', '1-é', '1-\u00a0', '2-']
      await peer.create(there('replicator-forms'))
      await peer.ask('POST', 'replicator-forms/_bulk_docs', { new_edits: false, docs: revs.map((_rev, i) => ({ _id: `d${i}`, _rev, _attachments: { a: { data: 'YQ==', revpos: 1 } } })) })
      const { history: [{ docs_written: written }] } = await ours.replicate(peer.urlOf('replicator-forms'), ours.urlOf('forms'), { create_target: true })
      assert.equal(written, revs.length)
      assert.deepEqual(await contentsOf(ours, 'forms'), await contentsOf(peer, 'replicator-forms'))
    })

    it('copies attachments with any name', async () => {
      const names = ['a\r\nb', 'a\nb', '\r', 'a"\r\n\r\nX-Evil: 1', 'a b', '"', 'a\0', '10', '9', '..']
      const attachments = Object.fromEntries(names.map(name => [name, { data: Buffer.alloc(70000, `content of ${name}`).toString('base64') }]))
      await ours.create('names')
      await ours.ask('PUT', 'names/d', { _attachments: attachments })
      const { history: [{ doc_write_failures: failures }] } = await ours.replicate(ours.urlOf('names'), peer.urlOf(there('replicator-names')), { create_target: true })
      assert.equal(failures, 0)
      const { _attachments: copied } = await peer.ask('GET', 'replicator-names/d?attachments=true')
      for (const name of names) assert.equal(copied[name].data, attachments[name].data, name)
    })

    it('goes on for ever in both directions', async () => {
      const name = there('replicator-live')
      for (const server of [ours, peer]) await server.create(name)
      await ours.replicate(name, peer.urlOf(name), { continuous: true })
      await ours.replicate(peer.urlOf(name), name, { continuous: true })
      for (let round = 0; round < 5; round++) {
        await Promise.all([ours, peer].map((server, n) => server.ask('POST', `${name}/_bulk_docs`, { docs: Array.from({ length: 50 }, (_, i) => ({ _id: `${n}-${round}-${i}` })) })))
      }
      for (const server of [ours, peer]) await server.untilThereAre(name, 500)
      assert.deepEqual(await contentsOf(ours, name), await contentsOf(peer, name))
      const { jobs } = await ours.ask('GET', '_scheduler/jobs')
      for (const { id } of jobs) await ours.ask('POST', '_replicate', { replication_id: id, cancel: true })
      assert.deepEqual((await ours.ask('GET', '_scheduler/jobs')).jobs, [])
    })
  })
}
