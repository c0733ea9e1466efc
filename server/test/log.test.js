'use strict'

const assert = require('node:assert/strict')
const { EventEmitter } = require('node:events')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Log } = require('../lib/log/log')

describe('the log', () => {
  let text, log

  beforeEach(() => { text = '' })
  afterEach(() => log.close())

  function open (settings) {
    log = new Log({ ...settings, write: more => { text += more } })
    return log
  }

  /** A request that is over. */
  function request ({ url = '/', host = 'localhost:5984', user = null, status = 200, finished = true, headers = {} } = {}) {
    const req = { method: 'GET', url, headers: { host, ...headers }, socket: { remoteAddress: '127.0.0.1' }, user: { name: user } }
    const res = Object.assign(new EventEmitter(), { req, statusCode: status, writableFinished: finished })
    log.request(req, res, '0a1b2c3d4e')
    res.emit('close')
    log.flush()
  }

  it('has a line for each request, in CouchDB\'s form', () => {
    open({ level: 'notice' })
    request({ url: '/todos/_all_docs?limit=1', user: 'anna', status: 404 })
    request({ finished: false })
    const lines = text.split('\n')
    assert.match(lines[0], /^\[notice\] \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z nonode@nohost <\d+> 0a1b2c3d4e localhost:5984 127\.0\.0\.1 anna GET \/todos\/_all_docs\?limit=1 404 ok \d+\.\d$/)
    assert.match(lines[1], / undefined GET \/ 200 aborted \d+\.\d$/)
    assert.equal(lines.length, 3)
  })

  it('has the time to the millisecond', () => {
    open({ level: 'debug' })
    const before = Date.now()
    log.line('info', 'x')
    const after = Date.now()
    log.flush()
    const time = Date.parse(text.split(' ')[1])
    assert.ok(time >= before && time <= after)
  })

  it('is JSON where that is wanted', () => {
    open({ level: 'notice', format: 'json' })
    request({ url: '/"\u0007', user: 'a\nb' })
    log.line('error', 'one\ntwo')
    log.flush()
    request()
    const [entry, error, ofNobody] = text.trim().split('\n').map(line => JSON.parse(line))
    const { time, pid, ms, ...rest } = entry
    assert.deepEqual(rest, { level: 'notice', node: 'nonode@nohost', id: '0a1b2c3d4e', host: 'localhost:5984', peer: '127.0.0.1', user: 'a\\x0ab', method: 'GET', path: '/"\\x07', status: 200, ok: true })
    assert.ok(!Number.isNaN(Date.parse(time)) && pid === process.pid && ms >= 0)
    assert.equal(ofNobody.user, null)
    assert.deepEqual([error.level, error.msg], ['error', 'one\n    two'])
  })

  it('is for journald where that is wanted', () => {
    open({ level: 'notice', writer: 'journald' })
    request()
    log.line('error', 'one\ntwo')
    log.flush()
    assert.match(text, /^<5>nonode@nohost <\d+> 0a1b2c3d4e .*\n<3>nonode@nohost <\d+> -------- one\n<3> {4}two\n$/)
  })

  for (const [level, heard] of Object.entries({ debug: 5, info: 4, notice: 3, warning: 2, warn: 2, error: 1, err: 1, crit: 0, emergency: 0, none: 0, nonsense: 2 })) {
    it(`at ${level} has what is no less important`, () => {
      open({ level })
      for (const each of ['debug', 'info', 'notice', 'warning', 'error']) log.line(each, 'x')
      log.flush()
      assert.equal(text.split('\n').length - 1, heard)
    })
  }

  it('changes its level at once', () => {
    open({ level: 'error' })
    assert.equal(log.logsRequests, false)
    log.configure({ level: 'info' })
    assert.equal(log.logsRequests, true)
    log.line('info', 'heard')
    log.flush()
    assert.match(text, /heard/)
  })

  it('has no control characters, and no line that somebody else made', () => {
    open({ level: 'debug' })
    request({ user: 'eve\n[error] forged', host: 'a\u001b[31m\u2028b\u202e', url: '/\u0085' })
    log.quote('info', 'eve\r\n[error] forged \u0000')
    log.line('error', new Error('eve\n[error] forged').stack)
    log.flush()
    // eslint-disable-next-line no-control-regex
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/)
    for (const line of text.trimEnd().split('\n')) assert.match(line, /^(\[(notice|info|error)\] \d{4}-| {4})/)
    assert.doesNotMatch(text, /^\[error\] forged/m)
  })

  it('never has a password, of a header or of a URL', () => {
    open({ level: 'debug' })
    const headers = { authorization: 'Basic YW5uYTpnZWhlaW0=', cookie: 'AuthSession=geheim' }
    request({ headers, url: '/_x?source=http://anna:geheim@host/db&target=http%3A%2F%2Fanna%3Ageheim%40host' })
    log.line('error', 'https://anna:geheim@example.org/db: refused')
    log.fault({ method: 'PUT', url: '/x', headers }, new Error('http://anna:geheim@[::1]:5984/db failed'))
    log.flush()
    assert.doesNotMatch(text, /geheim|YW5uY/)
    assert.match(text, /https:\/\/\*{5}@example\.org\/db: refused/)
  })

  it('leaves what is no password alone', () => {
    open({ level: 'debug' })
    request({ url: '/todos/anna@example.org?key=%22a%40b%22' })
    assert.match(text, /GET \/todos\/anna@example\.org\?key=%22a%40b%22 /)
  })

  it('gathers lines, and writes many at once', async () => {
    let writes = 0
    log = new Log({ level: 'notice', delay: 5, write: more => { writes++; text += more } })
    const written = new Promise(resolve => { const push = log.flush; log.flush = function () { push.call(log); resolve() } })
    for (let i = 0; i < 100; i++) log.line('notice', `line ${i}`)
    assert.equal(writes, 0)
    await written
    assert.equal(writes, 1)
    assert.equal(text.split('\n').length, 101)
  })

  describe('in a file', () => {
    let folder, file

    beforeEach(() => {
      folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-log-'))
      file = path.join(folder, 'logs/potoroo.log')
    })

    afterEach(() => fs.rmSync(folder, { recursive: true }))

    const settings = () => ({ level: 'debug', writer: 'file', file })

    it('is there when the log is closed, for its owner to read, and goes on where it was', async () => {
      for (const word of ['one', 'two']) {
        log = new Log(settings())
        log.line('info', word)
        await log.close()
      }
      assert.match(fs.readFileSync(file, 'utf8'), /one\n.*two\n$/)
      assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    })

    it('is opened again after it was renamed', async () => {
      log = new Log(settings())
      log.line('info', 'before')
      log.flush()
      fs.renameSync(file, `${file}.1`)
      log.reopen()
      log.line('info', 'after')
      await log.close()
      const [older, newer] = [`${file}.1`, file].map(name => fs.readFileSync(name, 'utf8'))
      assert.match(older, /^.* before\n$/)
      assert.match(newer, /^.* after\n$/)
    })

    it('cannot be opened: the log says so at the start, and stays where it was later', async () => {
      fs.writeFileSync(path.join(folder, 'logs'), 'no folder')
      assert.throws(() => new Log(settings()), { code: /EEXIST|ENOTDIR/ })
      const other = path.join(folder, 'other.log')
      log = new Log({ ...settings(), file: other })
      log.configure(settings())
      log.line('info', 'still here')
      await log.close()
      assert.match(fs.readFileSync(other, 'utf8'), /The log stays where it is: E\w+.*\n.*still here\n$/)
    })
  })
})
