'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { Config } = require('../lib/config')
const { Ini } = require('../lib/config/ini')

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
    config.delete('a', 'c', { persist: false })
    assert.deepEqual(config.section('a'), { b: 'new', c: '2' })
    assert.equal(fs.readFileSync(file, 'utf8'), '[a]\nb = 1\nc = 2\n')
    config.reload()
    assert.deepEqual(config.section('a'), { b: '1', c: '2' })
    config.set('a', 'b', 'x', { persist: false })
    config.set('a', 'b', 'y')
    config.reload()
    assert.equal(config.get('a', 'b'), 'y')
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
