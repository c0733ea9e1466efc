'use strict'

const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const { setImmediate: turn, setTimeout: wait } = require('node:timers/promises')
const { shardOf } = require('@potoroo/document-store')
const { Coordinator } = require('../lib/shards/coordinator')
const { handlers } = require('../lib/shards/handlers')

const shards = ['_shards/0/db', '_shards/1/db', '_shards/2/db']
const database = { name: 'db', q: 3, partitioned: false, instanceId: '000000000000', createdAt: 0, shards }
const ids = Array.from({ length: 30 }, (_, i) => `d${i}`).sort((a, b) => shardOf(a, database) - shardOf(b, database))
const config = { integer: () => 200, get: () => '', boolean: () => false }
const byRevision = Object.fromEntries(ids.map(id => [id, ['1-00000000000000000000000000000000']]))

/** An answer of a shard that goes on for ever, with or without a row. @param {string} row */
const endless = row => (/** @type {any} */ res) => {
  res.writeHead(200, ['Content-Type', 'application/json'])
  res.write(`{"print":"x","merges":false,"isNothing":false,"warnings":[],"total_rows":1,"offset":0,"docs":[${row}`)
}
const waits = endless('')
/** @param {any} res */
const refuses = res => {
  res.writeHead(503, ['Content-Type', 'application/json'])
  res.end('{"error":"service_unavailable","reason":"No shard"}')
}
/** @param {any} res */
const breaksOff = res => {
  waits(res)
  setImmediate(() => res.destroy())
}
/** @param {any} body @returns {(res: any) => void} */
const says = body => res => {
  res.writeHead(200, ['Content-Type', 'application/json'])
  res.end(JSON.stringify(body))
}

/** Handlers that ask all shards, each with a request. @type {Record<string, any>} */
const requests = {
  _all_docs: { body: {} },
  '_all_docs with keys': { handler: '_all_docs', body: { keys: ids } },
  search: { body: { q: '*:*' }, params: { ddoc: '_design/d', index: 'i' } },
  nouveau: { body: { q: '*:*' }, params: { ddoc: '_design/d', index: 'i' } },
  find: { body: { selector: {} } },
  bulkGet: { body: { docs: ids.map(id => ({ id })) } },
  revsDiff: { body: byRevision },
  purge: { body: byRevision },
  searchInfo: { method: 'GET', params: { ddoc: '_design/d', index: 'i' } },
  all: { body: {} },
  changes: { method: 'GET' }
}

describe('the answers of shards', () => {
  /** The answers that are not over. */
  let open, res, stop

  beforeEach(() => {
    open = new Set()
    res = new EventEmitter()
    stop = new AbortController()
  })
  afterEach(() => stop.abort())

  /** Asks three shards that answer so. @param {string} name @param {Array<(res: any) => void>} answers @param {any} [more] */
  async function ask (name, answers, more) {
    const { handler = name, ...asked } = requests[name]
    const service = { config, counts: { count () {} }, closing: stop.signal }
    const req = { method: 'POST', url: '/db/_x', search: '', params: {}, args: {}, headers: { accept: '*/*' }, user: { name: null, roles: [] }, service, res, httpVersionMajor: 1, ...asked, ...more }
    Object.assign(res, { req, headersSent: false, destroyed: false, writableEnded: false, writeHead () { return this }, write: () => true, end () {} })
    const coordinator = new Coordinator(/** @type {any} */ (req), database, async (_, inner, answer) => {
      if (inner.url.endsWith('/_design_docs')) return says({ rows: [] })(answer)
      open.add(answer)
      answer.once('close', () => open.delete(answer))
      answers[shards.findIndex(shard => inner.url.startsWith(`/${encodeURIComponent(shard)}`))](answer, inner)
    })
    return handlers[handler].answer(coordinator, /** @type {any} */ (res), /** @type {any} */ ({ path: '/:db/:ddoc/_search_info/:index' }))
  }

  /** How many go on. */
  async function count () {
    for (let i = 0; i < 5; i++) await turn()
    return open.size
  }

  for (const name of Object.keys(requests)) {
    if (name !== 'changes') {
      it(`${name}: are closed when one of three refuses`, async () => {
        await assert.rejects(ask(name, [waits, refuses, waits]), { status: 503 })
        assert.equal(await count(), 0)
      })
    }

    it(`${name}: are closed when one of three breaks off`, async () => {
      await assert.rejects(ask(name, [breaksOff, waits, waits]), { status: 503 })
      assert.equal(await count(), 0)
    })

    if (name === 'purge' || name === 'all' || name === 'searchInfo' || name === 'revsDiff') continue
    it(`${name}: are closed when the client leaves`, async () => {
      const asked = assert.rejects(ask(name, [waits, waits, waits]))
      assert.ok(await count() > 0)
      res.destroyed = true
      res.emit('close')
      await asked
      assert.equal(await count(), 0)
    })
  }

  /** @param {string} text of rows */
  const changes = text => (/** @type {any} */ res) => {
    res.writeHead(200, ['Content-Type', 'application/json'])
    res.write(text)
  }

  it('changes: are closed when a row cannot be read', async () => {
    const row = '{"seq":"1-000000000000","id":"d1","changes":[]},'
    await assert.rejects(ask('changes', [changes(`{"results":[${row}{"seq":"1-sAAAA"},`), waits, waits]), { status: 503 })
    assert.equal(await count(), 0)
  })

  it('changes: are closed before a feed asks again', async () => {
    const asked = []
    const answer = (/** @type {any} */ res, /** @type {any} */ { url }) => {
      if (!url.includes('feed=continuous')) return says({ results: [], last_seq: '1-000000000000', pending: 0 })(res)
      asked.push(url)
      changes('{"seq":"5-s","id":"d1"}\n')(res)
    }
    const feed = ask('changes', [answer, answer, answer], { method: 'POST', body: {}, args: { feed: 'continuous', heartbeat: 60_000 } })
    for (let i = 0; i < 100 && asked.length < 9; i++) await wait(50)
    assert.ok(asked.length >= 9, String(asked))
    assert.ok(await count() <= 3, `${open.size} after ${asked.length}`)
    res.emit('close')
    await feed
    assert.equal(await count(), 0)
  })
})
