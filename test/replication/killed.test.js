'use strict'

const assert = require('node:assert/strict')
const { contentsOf } = require('./support/contents')
const { OwnServer, PASSWORD, Server } = require('./support/server')

const DOCUMENTS = Number(process.env.REPLICATION_DOCUMENTS ?? 3000)
const BATCH = 500

/** With which server ours replicates when one of them is killed; a CouchDB is not ours to kill. */
const cases = [
  ['ours, which runs it', 'another of ours', 'ours'],
  ['the other, which does not know of it', 'another of ours', 'peer'],
  ...(process.env.COUCHDB_URL === undefined ? [] : [['ours, which runs it', 'a CouchDB', 'ours']])
]

for (const [who, kind, victim] of cases) {
  describe(`replication by documents with ${kind}, while ${who}, is killed`, function () {
    this.timeout(600_000)
    /** @type {OwnServer} */
    let ours
    let peer
    const names = ['replicator-there', 'replicator-here']

    before(async () => {
      ours = await OwnServer.start()
      peer = kind === 'a CouchDB' ? new Server(/** @type {string} */ (process.env.COUCHDB_URL)) : await OwnServer.start()
    })
    after(async () => {
      for (const name of names) await (await peer.fetch('DELETE', name)).arrayBuffer()
      await Promise.all([ours.remove(), peer.remove?.()])
    })

    const write = async (server, name, from, to) => {
      for (let i = from; i < to; i += BATCH) {
        await server.ask('POST', `${name}/_bulk_docs`, { docs: Array.from({ length: BATCH }, (_, n) => ({ _id: `${name}-${i + n}`, text: 'x'.repeat(200) })) })
      }
    }

    it('goes on in both directions, and loses nothing', async () => {
      const [there, here] = names
      for (const server of [ours, peer]) for (const name of names) await server.create(name)
      await write(ours, there, 0, DOCUMENTS)
      await write(peer, here, 0, DOCUMENTS)
      await ours.ask('PUT', '_replicator/push', { source: there, target: peer.urlOf(there), continuous: true })
      await ours.ask('PUT', '_replicator/pull', { source: peer.urlOf(here), target: here, continuous: true })
      await ours.untilThereAre(here, DOCUMENTS / 10)
      const killed = victim === 'ours' ? ours : peer
      await killed.kill()
      await killed.start()
      await write(ours, there, DOCUMENTS, DOCUMENTS + BATCH)
      await write(peer, here, DOCUMENTS, DOCUMENTS + BATCH)
      for (const [server, name] of [[peer, there], [ours, here]]) await server.untilThereAre(name, DOCUMENTS + BATCH)
      for (const name of names) assert.deepEqual(await contentsOf(ours, name), await contentsOf(peer, name))
      const { docs } = await ours.ask('GET', '_scheduler/docs')
      assert.deepEqual(docs.map(({ doc_id: id, state }) => [id, state]), [['pull', 'running'], ['push', 'running']])
      assert.ok(!ours.output.includes(PASSWORD), ours.output)
    })
  })
}
