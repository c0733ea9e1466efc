'use strict'

const assert = require('node:assert')
const { DataFolder, admin } = require('./data-folder')
const { HttpClient } = require('./http-client')
const { killWhileBuilt } = require('./interrupted-build')

const DOCUMENTS = 5000
const BATCH = 1000
const WRITERS = 8

const index = 'function (doc) { index("text", "default", doc.text, { store: true }); index("double", "n", doc.n); index("string", "tag", doc.tag) }'

/** The same index under another name, and of another text. @param {string} name */
function design (name) { return { nouveau: { all: { index: `${index} // ${name}` } } } }

/** @param {string} id @param {number} n */
function documentOf (id, n) { return { _id: id, n, tag: `t${n % 5}`, text: `one two three${n % 100} ${'four '.repeat(n % 4)}` } }

async function indexed (client) {
  const { search_index: found } = await client.ask('GET', '/data/_design/d/_nouveau_info/all')
  return found.update_seq
}

/** Writes documents and asks for them, until the server is killed. @returns {Promise<string[]>} ids that were acknowledged */
async function writeAndKill (server) {
  const client = new HttpClient(await server.started, admin)
  /** @type {string[]} */
  const written = []
  const write = async writer => {
    for (let i = 0; ; i++) {
      const id = `w-${writer}-${i}`
      await client.ask('PUT', `/data/${id}`, documentOf(id, i))
      written.push(id)
      if (i % 10 === 0) await client.ask('GET', '/data/_design/d/_nouveau/all?q=four&limit=1')
      if (written.length === 300) await server.end('SIGKILL')
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => assert.rejects(write(writer))))
  return written
}

/** All that a query finds. */
async function found (client, name, query) {
  const hits = []
  for (let bookmark = ''; ;) {
    const page = await client.ask('GET', `/data/_design/${name}/_nouveau/all?limit=200&q=${encodeURIComponent(query)}${bookmark}`)
    if (page.hits.length === 0) return { hits, total: page.total_hits }
    hits.push(...page.hits.map(({ id, fields, order }) => ({ id, fields, score: order[0].value.toPrecision(9) })))
    bookmark = `&bookmark=${page.bookmark}`
  }
}

for (const storage of ['pmem', 'classic-level']) {
  describe(`a text index that is killed goes on, on ${storage}`, function () {
    this.timeout(600_000)
    let folder

    before(() => { folder = new DataFolder(storage) })
    after(() => folder.remove())

    it('where it was, and finds what one does that was not', async () => {
      let server = await folder.start()
      let client = new HttpClient(await server.started, admin)
      await client.ask('PUT', '/data')
      for (let start = 0; start < DOCUMENTS; start += BATCH) {
        await client.ask('POST', '/data/_bulk_docs', { docs: Array.from({ length: BATCH }, (_, i) => documentOf(`d${start + i}`, start + i)) })
      }
      server = await killWhileBuilt(server, () => folder.start(), { designOf: design, question: '/data/_design/d/_nouveau/all?q=one', indexed })
      const written = await writeAndKill(server)
      server = await folder.start()
      client = new HttpClient(await server.started, admin)
      await client.ask('PUT', '/data/_design/again', design('again'))
      const all = await found(client, 'd', 'one')
      assert.ok(written.every(id => all.hits.some(hit => hit.id === id)), 'what was acknowledged is found')
      assert.strictEqual(all.hits.length, all.total)
      for (const query of ['one', 'four AND tag:t3', '"two three7"', 'n:[100 TO 300]', '*:*']) assert.deepStrictEqual(await found(client, 'd', query), await found(client, 'again', query), query)
      assert.strictEqual((await server.end('SIGTERM')).code, 0)
    })
  })
}
