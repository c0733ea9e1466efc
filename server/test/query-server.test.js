'use strict'

const assert = require('node:assert/strict')
const { Config } = require('../lib/config/config')
const { Log } = require('../lib/log/log')
const { openQueryServer } = require('../lib/indexes/query-server')
const { Statistics } = require('../lib/stats/statistics')

describe('query server of a server', () => {
  const origin = { database: 'db', instance: '1', design: '_design/d' }
  let text
  let config
  let log
  let queryServer

  beforeEach(() => {
    text = ''
    config = new Config(null, {})
    log = new Log({ level: 'info', write: more => { text += more } })
    queryServer = openQueryServer(config, log, new Statistics())
  })
  afterEach(() => queryServer.close())

  it('logs what functions log, in one line, with the database and the design document', async () => {
    await queryServer.map({ sources: ['function (doc) { log("one\\n[error] \\u001b[2Jtwo") }'], origin }, [{}])
    log.flush()
    assert.match(text, /^\[info\] \S+ nonode@nohost <\d+> -------- db _design\/d: one\\x0a\[error\] \\x1b\[2Jtwo\n$/)
  })

  it('keeps to limits that change', async () => {
    const loop = { sources: ['function () { while (true) {} }'], origin }
    config.set('query_server_config', 'os_process_timeout', '100')
    await assert.rejects(queryServer.filter(loop, [{}]), { code: 'FUNCTION_TIMEOUT' })
    config.set('query_server_config', 'os_process_timeout', '20000')
    config.set('query_server_config', 'os_process_memory', '1048576')
    const big = { sources: ['function () { return "x".repeat(2000000).length }'], origin }
    await assert.rejects(queryServer.filter(big, [{}]), { error: 'os_process_error', reason: 'out of memory' })
    config.set('query_server_config', 'os_process_memory', '67108864')
    assert.deepEqual(await queryServer.filter({ sources: [`${big.sources[0]} //`], origin }, [{}]), [true])
  })
})
