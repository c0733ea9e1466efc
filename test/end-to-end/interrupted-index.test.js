'use strict'

const assert = require('node:assert')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')
const { killWhileBuilt } = require('./interrupted-build')

const DOCUMENTS = 10_000
const BATCH = 2000

const views = {
  words: { map: 'function (doc) { doc.text.split(" ").forEach(function (word) { emit([word, doc.n % 7], doc.n) }) }' },
  numbers: { map: 'function (doc) { emit(doc.n, doc.n) }', reduce: '_sum' }
}

/** The same views under another name, and of another text, so that their index is another. @param {string} name */
function design (name) { return { views: { ...views, numbers: { ...views.numbers, map: `${views.numbers.map} // ${name}` } } } }

function documents (start) {
  return Array.from({ length: BATCH }, (_, i) => ({ _id: `d${String(start + i).padStart(6, '0')}`, n: start + i, text: `one two three${(start + i) % 100}` }))
}

async function indexed (client, name = 'd') {
  const { view_index: index } = await client.ask('GET', `/data/_design/${name}/_info`)
  return index.update_seq
}

const rowsOf = async (client, name, view) => (await client.ask('GET', `/data/_design/${name}/_view/${view}?reduce=false`)).rows

for (const storage of ['pmem', 'classic-level']) {
  describe(`an index that is killed while it is built goes on, on ${storage}`, function () {
    this.timeout(600_000)
    let folder

    before(() => { folder = new DataFolder(storage) })
    after(() => folder.remove())

    it('where it was, and gives what one does that was not', async () => {
      let server = await folder.start()
      let client = new HttpClient(await server.started, admin)
      await client.ask('PUT', '/data')
      for (let start = 0; start < DOCUMENTS; start += BATCH) await client.ask('POST', '/data/_bulk_docs', { docs: documents(start) })
      const verify = async (client, reached) => {
        const { rows, total_rows: total } = await client.ask('GET', '/data/_design/d/_view/words?update=false')
        assert.strictEqual(rows.length, total)
        assert.ok(total >= 3 * (reached - 1), 'and its rows')
      }
      server = await killWhileBuilt(server, () => folder.start(), { designOf: design, question: '/data/_design/d/_view/words?limit=1', indexed, verify })
      client = new HttpClient(await server.started, admin)
      await client.ask('PUT', '/data/_design/again', design('again'))
      for (const view of Object.keys(views)) {
        const rows = await rowsOf(client, 'd', view)
        assert.strictEqual(rows.length, view === 'words' ? 3 * DOCUMENTS : DOCUMENTS)
        assert.deepStrictEqual(rows, await rowsOf(client, 'again', view))
      }
      assert.deepStrictEqual((await client.ask('GET', '/data/_design/d/_view/numbers')).rows, [{ key: null, value: DOCUMENTS * (DOCUMENTS - 1) / 2 }])
      assert.strictEqual((await server.end('SIGTERM')).code, 0)
    })
  })
}
