'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Config } = require('../lib/config/config')
const { fault } = require('../lib/config/checks')
const { Ini } = require('../lib/config/ini')
const { ifTrue, integer, list, lowerCase, positive, text, unlessFalse } = require('../lib/config/schema')

describe('configuration', () => {
  let folder, file

  beforeEach(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-config-'))
    file = path.join(folder, 'potoroo.ini')
  })
  afterEach(() => fs.rmSync(folder, { recursive: true }))

  it('has defaults, over them the file, over that what the application says', () => {
    fs.writeFileSync(file, '[chttpd]\nport = 1\nbind_address = ::1\n')
    const config = new Config(file, { chttpd: { port: 2 } })
    assert.equal(config.integer('chttpd', 'port'), 2)
    assert.equal(config.get('chttpd', 'bind_address'), '::1')
    assert.equal(config.boolean('chttpd', 'enable_cors'), true)
    assert.equal(config.get('chttpd', 'constructor'), '')
  })

  it('has what a schema asks for, typed, and again after each change', () => {
    const config = new Config(null, { chttpd_auth: { timeout: 'soon', same_site: ' Strict ', hash_algorithms: 'sha, ,sha256' }, ken: { batch_channels: -3 } })
    const section = config.section({
      timeout: positive('chttpd_auth', 'timeout'),
      sameSite: lowerCase('chttpd_auth', 'same_site'),
      algorithms: list('chttpd_auth', 'hash_algorithms'),
      proxy: { header: text('chttpd_auth', 'x_auth_token'), isSecret: ifTrue('chttpd_auth', 'proxy_use_secret'), persists: unlessFalse('chttpd_auth', 'allow_persistent_cookies') },
      channels: integer('ken', 'batch_channels', { least: 0, unit: 10 })
    })
    const before = section.now
    assert.deepEqual(before, {
      timeout: 600,
      sameSite: 'strict',
      algorithms: ['sha', 'sha256'],
      proxy: { header: 'X-Auth-CouchDB-Token', isSecret: false, persists: true },
      channels: 0
    })
    assert.equal(section.now, before)
    config.set('ken', 'batch_channels', '7')
    config.set('couch_httpd_auth', 'x_auth_token', 'X-Old')
    assert.deepEqual([section.now.channels, section.now.proxy.header], [70, 'X-Old'])
  })

  describe('of older sections', () => {
    it('holds where the newer one says nothing', () => {
      fs.writeFileSync(file, '[httpd]\nWWW-Authenticate = Basic realm="a"\nmax_uri_length = 99\nport = 5986\n[couch_httpd_auth]\ntimeout = 7\nsecret = s\nauthentication_db = old\n[couchdb]\nos_process_timeout = 70\n')
      const config = new Config(file)
      assert.equal(config.get('chttpd', 'WWW-Authenticate'), 'Basic realm="a"')
      assert.equal(config.integer('chttpd', 'max_uri_length'), 99)
      assert.equal(config.integer('chttpd', 'port'), 5984)
      assert.equal(config.integer('chttpd_auth', 'timeout'), 7)
      assert.equal(config.get('chttpd_auth', 'secret'), 's')
      assert.equal(config.get('chttpd_auth', 'authentication_db'), '')
      assert.equal(config.integer('query_server_config', 'os_process_timeout'), 70)
      assert.equal(config.texts('chttpd').max_uri_length, '8000')
      assert.equal(config.inForce().chttpd.max_uri_length, '99')
    })

    it('gives way to the newer one, even to its default', () => {
      const config = new Config(null, { httpd: { max_uri_length: 99 }, chttpd: { max_uri_length: 8000 } })
      assert.equal(config.integer('chttpd', 'max_uri_length'), 8000)
      config.set('chttpd', 'max_uri_length', '7000')
      assert.equal(config.integer('chttpd', 'max_uri_length'), 7000)
      config.delete('chttpd', 'max_uri_length')
      assert.equal(config.integer('chttpd', 'max_uri_length'), 99)
      config.delete('httpd', 'max_uri_length')
      assert.equal(config.integer('chttpd', 'max_uri_length'), 8000)
    })

    it('tells who listens to the newer one', () => {
      const config = new Config(null)
      const seen = []
      config.on('change', (section, key) => seen.push([section, key]))
      config.set('httpd', 'allow_jsonp', 'true')
      config.set('httpd', 'port', '1')
      assert.deepEqual(seen, [['httpd', 'allow_jsonp'], ['chttpd', 'allow_jsonp'], ['httpd', 'port']])
    })

    it('is checked as that of the newer one', () => {
      assert.throws(() => new Config(null, { httpd: { 'WWW-Authenticate': 'a\nb' } }), { code: 'CONFIG_DAMAGED' })
      assert.throws(() => new Config(null, { couch_httpd_auth: { iterations: 'x' } }), { code: 'CONFIG_DAMAGED' })
      assert.equal(fault('httpd', 'max_uri_length', 'x'), '[httpd] max_uri_length must be a whole number, 0 or more')
      assert.equal(fault('httpd', 'port', 'x'), null)
    })
  })

  it('takes the default for a number that is none', () => {
    for (const text of ['', ' ', 'x', '1.5', 'Infinity', '1e400', '9007199254740993']) {
      const config = new Config(null, { query_server_config: { os_process_timeout: text } })
      assert.equal(config.integer('query_server_config', 'os_process_timeout'), 5000, text)
    }
  })

  it('keeps comments, order and what it does not know', () => {
    const before = '; mine\n[a]\n# one\nx = 1\n\n[b]\ny = 2 ; yours\n'
    fs.writeFileSync(file, before)
    const config = new Config(file)
    config.set('a', 'z', 'new')
    config.set('b', 'y', '3')
    config.set('c', 'k', 'v')
    assert.equal(fs.readFileSync(file, 'utf8'), '; mine\n[a]\n# one\nx = 1\nz = new\n\n[b]\ny = 3 ; yours\n\n[c]\nk = v\n')
    config.delete('a', 'x')
    assert.equal(new Config(file).get('a', 'x'), '')
    assert.equal(new Config(file).get('a', 'z'), 'new')
  })

  it('is readable by its owner alone, and never half-written', () => {
    const config = new Config(file)
    config.set('admins', 'a', 'b')
    assert.equal(fs.statSync(file).mode & 0o777, 0o600)
    assert.deepEqual(fs.readdirSync(folder), ['potoroo.ini'])
  })

  it('tells who listens', () => {
    const config = new Config(null)
    const seen = []
    config.on('change', (section, key) => seen.push([section, key]))
    config.set('a', 'b', 'c')
    config.delete('a', 'b')
    assert.deepEqual(seen, [['a', 'b'], ['a', 'b']])
  })

  it('is read again on demand', () => {
    fs.writeFileSync(file, '[a]\nb = 1\n')
    const config = new Config(file)
    assert.equal(config.get('a', 'b'), '1')
    fs.writeFileSync(file, '[a]\nb = 2\n')
    config.reload()
    assert.equal(config.get('a', 'b'), '2')
  })

  it('reads values with equal signs and lines of Windows', () => {
    assert.equal(new Ini('[a]\r\nb = c=d\r\n').sections().get('a').get('b'), 'c=d')
  })

  it('reads keys with equal signs, and no comments at the ends of lines', () => {
    const { a } = Object.fromEntries(new Ini('[a]\nkey== = v=w ; why\nb=c;d\n').sections())
    assert.deepEqual([...a], [['key==', 'v=w'], ['b', 'c;d']])
  })

  it('reads what was set as it was set, semicolons at the beginning too', () => {
    for (const value of [';secret', '; secret', '=secret', 'a;b', 'a = b', '[a]']) {
      new Config(file).set('a', 'b', value)
      assert.equal(new Config(file).get('a', 'b'), value)
    }
  })

  it('holds what is not to be kept until it is read again', () => {
    fs.writeFileSync(file, '[a]\nb = 1\nc = 2\n')
    const config = new Config(file)
    config.set('a', 'b', 'new', { persist: false })
    config.set('a', 'c', 'new', { persist: false })
    assert.deepEqual(config.texts('a'), { b: 'new', c: 'new' })
    config.delete('a', 'c', { persist: false })
    assert.deepEqual(config.texts('a'), { b: 'new' })
    assert.equal(fs.readFileSync(file, 'utf8'), '[a]\nb = 1\nc = 2\n')
    config.reload()
    assert.deepEqual(config.texts('a'), { b: '1', c: '2' })
    config.set('a', 'b', 'x', { persist: false })
    config.set('a', 'b', 'y')
    config.reload()
    assert.equal(config.get('a', 'b'), 'y')
  })

  it('refuses a damaged file, with the line and the reason, and leaves it as it is', () => {
    const cases = [
      ['', 'it is empty'],
      ['[admins]\nanna = -pbk', null],
      ['[admins]\nanna', 'line 2 is neither a section, nor a comment, nor a key with a value'],
      ['[admins]\nanna = x\n[chtt', 'line 3 begins a section whose name does not end'],
      ['anna = x\n', 'line 1 has a key before the first section'],
      ['[admins]\n= x\n', 'line 2 is neither a section, nor a comment, nor a key with a value'],
      ['[admins]\nanna = x\0\0\0\0\n', 'line 2 has a control character'],
      [Buffer.from([0x5b, 0x61, 0x5d, 0x0a, 0xff]), 'it is not UTF-8']
    ]
    for (const [content, damage] of cases) {
      fs.writeFileSync(file, content)
      if (damage === null) assert.equal(new Config(file).get('admins', 'anna'), '-pbk')
      else assert.throws(() => new Config(file), { code: 'CONFIG_DAMAGED', message: `${file} is damaged: ${damage}. Mend it, or put back a copy of it` })
      assert.deepEqual(fs.readFileSync(file), Buffer.from(content))
    }
  })

  it('refuses values with which requests would fail', () => {
    const cases = [
      ['csp', 'utils_header_value', 'é漢', 'must be of ASCII\'s letters and signs'],
      ['couch_httpd_auth', 'cookie_domain', 'é', 'must be of ASCII\'s letters and signs'],
      ['chttpd_auth', 'iterations', '4294967296', 'must be a whole number, 1 to 2147483647']
    ]
    for (const [section, key, value, wrong] of cases) {
      fs.writeFileSync(file, `[${section}]\n${key} = ${value}\n`)
      assert.throws(() => new Config(file), { code: 'CONFIG_DAMAGED', message: `${file} is damaged: [${section}] ${key} ${wrong}. Mend it, or put back a copy of it` })
      assert.throws(() => new Config(null, { [section]: { [key]: value } }), { code: 'CONFIG_DAMAGED' })
      fs.rmSync(file)
      const config = new Config(file)
      fs.writeFileSync(file, `[${section}]\n${key} = ${value}\n`)
      assert.throws(() => config.reload(), { code: 'CONFIG_DAMAGED' })
      assert.notEqual(config.get(section, key), value)
    }
  })

  it('goes on with what is in force when the file is damaged that it is to read again', () => {
    const config = new Config(file)
    config.set('a', 'b', '1', { persist: false })
    fs.writeFileSync(file, 'x')
    assert.throws(() => config.reload(), /is damaged: line 1/)
    assert.equal(config.get('a', 'b'), '1')
  })

  it('keeps the file, and what is in force, where a write is cut short', () => {
    const script = `
      const { Config } = require(${JSON.stringify(path.resolve(__dirname, '../lib/config/config'))})
      const config = new Config(${JSON.stringify(file)})
      config.set('a', 'first', 'x'.repeat(900))
      try { config.set('b', 'second', 'y'.repeat(900)) } catch ({ error }) { console.log(error, config.get('b', 'second').length) }
    `
    // No file may be larger than 1 KiB.
    const { stdout, stderr } = spawnSync('sh', ['-c', 'trap "" XFSZ; ulimit -f 2; exec "$0" -e "$1"', process.execPath, script], { encoding: 'utf8' })
    assert.deepEqual([stdout, stderr], ['insufficient_storage 0\n', ''])
    assert.equal(fs.readFileSync(file, 'utf8'), `[a]\nfirst = ${'x'.repeat(900)}\n`)
    assert.deepEqual(fs.readdirSync(folder), ['potoroo.ini'])
  })

  it('has in force what is in the file, also where its folder cannot be flushed', () => {
    const config = new Config(file)
    config.set('admins', 'eve', 'x')
    const { fsyncSync } = fs
    fs.fsyncSync = descriptor => {
      if (fs.fstatSync(descriptor).isDirectory()) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
      fsyncSync(descriptor)
    }
    try {
      assert.throws(() => config.set('admins', 'bob', 'y'), { code: 'EIO' })
      assert.throws(() => config.delete('admins', 'eve'), { code: 'EIO' })
    } finally {
      fs.fsyncSync = fsyncSync
    }
    assert.deepEqual(config.texts('admins'), { bob: 'y' })
    assert.deepEqual(new Config(file).texts('admins'), { bob: 'y' })
  })

  it('leaves objects alone that are named as sections', () => {
    const config = new Config(file, { a: {} })
    config.set('__proto__', 'toString', 'x')
    config.set('a', '__proto__', 'y')
    config.delete('__proto__', 'hasOwnProperty')
    config.set('constructor', 'prototype', 'z', { persist: false })
    assert.equal(config.get('__proto__', 'toString'), 'x')
    assert.equal(new Config(file).get('a', '__proto__'), 'y')
    assert.equal(config.get('constructor', 'prototype'), 'z')
    assert.equal(typeof Object.prototype.hasOwnProperty, 'function')
    assert.equal(`${{}}`, '[object Object]')
  })
})
