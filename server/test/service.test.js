'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const fs = require('node:fs')
const http = require('node:http')
const os = require('node:os')
const path = require('node:path')
const { Readable } = require('node:stream')
const { MemoryLevel } = require('memory-level')
const { potoroo, serve } = require('..')
const { readBackup } = require('../lib/backup/read')
const { LEVELS, SHORT } = require('../lib/log/levels')

const quick = { chttpd_auth: { iterations: 10 } }
const basic = (name, password) => ({ Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` })

describe('a server', () => {
  const closing = []
  let folder

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-service-')) })
  afterEach(async () => {
    for (const each of closing.splice(0)) await each.close()
    fs.rmSync(folder, { recursive: true })
  })

  async function start (options) {
    const server = await serve({ port: 0, host: '127.0.0.1', storage: 'memory', config: quick, ...options })
    closing.push(server)
    return server
  }

  it('refuses options that it does not have, and names the nearest', async () => {
    assert.throws(() => potoroo(/** @type {any} */ ({ storge: 'memory' })), { name: 'TypeError', message: 'potoroo() has no option storge; do you mean storage?' })
    assert.throws(() => potoroo(/** @type {any} */ ({ storage: 'memory', port: 5984 })), { name: 'TypeError', message: /^potoroo\(\) has no option port: its options are path, storage, / })
    await assert.rejects(serve(/** @type {any} */ ({ path: path.join(folder, 'data'), admin: { anna: 'secret' } })), { name: 'TypeError', message: 'serve() has no option admin; do you mean admins?' })
    assert.deepEqual(fs.readdirSync(folder), [])
  })

  for (const [what, spoil] of Object.entries({
    'taken potoroo.ini away': file => fs.rmSync(file),
    'emptied potoroo.ini': file => fs.writeFileSync(file, ''),
    'damaged potoroo.ini': file => fs.appendFileSync(file, '[log\n')
  })) {
    it(`backs its administrators up, also if somebody has ${what}`, async () => {
      const server = await start({ path: folder, admins: { anna: 'secret' } })
      spoil(path.join(folder, 'potoroo.ini'))
      const response = await fetch(new URL('/_backup', server.url), { headers: basic('anna', 'secret') })
      const configs = []
      for await (const { config } of readBackup(Readable.from([Buffer.from(await response.arrayBuffer())]))) if (config !== undefined) configs.push(config)
      assert.equal(configs.length, 1)
      assert.match(configs[0], /^\[admins\]\nanna = -pbkdf2/m)
      assert.doesNotMatch(configs[0], /\[log$/m)
    })
  }

  it('says in its log which settings are none, and which have no effect', async () => {
    const ini = '[couchdb]\nmax_document_sise = 1000\n[smoosh.ratio_dbs]\nmin_priority = 1\n[httpd]\nallow_jsonp = true\n[chttpd]\nport = hello\n[lgo]\nlevel = info\nfile = a\n[cors:http://a.example]\norigins = *\n[cors]\norigins = app.example.com, loopback\n'
    fs.writeFileSync(path.join(folder, 'potoroo.ini'), ini)
    const lines = []
    const config = { ...quick, log: { level: 'loud' }, chttpd: { prot: 1 }, chtpd: { port: 2 }, couch_httpd_auth: { timeout: 300 }, daemons: { httpsd: '' }, vhosts: { 'example.org': '/db' } }
    const server = await start({ path: folder, config, log: text => lines.push(text) })
    await server.close()
    const said = lines.join('').split('\n').map(line => /\[warning\].*(\[\w+\] .*)$/.exec(line)?.[1]).filter(each => /no se| must /.test(each))
    assert.deepEqual(said, [
      `[log] level must be one of ${[...LEVELS, ...Object.keys(SHORT)].join(', ')}: the default holds`,
      '[chttpd] prot is no setting, and has no effect; do you mean port?',
      '[chtpd] is no section of settings, and has no effect; do you mean [chttpd]?',
      '[couchdb] max_document_sise is no setting, and has no effect; do you mean max_document_size?',
      '[chttpd] port must be a port, 0 to 65535: the default holds',
      '[lgo] is no section of settings, and has no effect; do you mean [log]?',
      '[cors] origins must be a list of loopback, *, and origins such as https://app.example.com, with a scheme and without a path'
    ])
  })

  it('makes an administrator where there is none, and tells whoever asked to be told', async () => {
    const told = []
    const { url } = await start({ onFirstAdmin: admin => told.push(admin) })
    assert.equal(told.length, 1)
    const { userCtx } = await (await fetch(`${url}/_session`, { headers: basic(told[0].name, told[0].password) })).json()
    assert.deepEqual(userCtx.roles, ['_admin'])
  })

  it('tells standard error otherwise, and not the log', async () => {
    const lines = []
    const told = []
    const { write } = process.stderr
    process.stderr.write = /** @type {any} */ text => told.push(text)
    try {
      const server = await start({ log: text => lines.push(text) })
      await server.close()
    } finally {
      process.stderr.write = write
    }
    const [, password] = /name admin, password (\S+)/.exec(told.join(''))
    assert.ok(!lines.join('').includes(password))
  })

  it('does not start with a header for refusals that cannot be sent', async () => {
    const config = { ...quick, chttpd: { 'WWW-Authenticate': 'Basic realm="☃"' } }
    await assert.rejects(start({ admins: { anna: 'secret' }, config }), { code: 'CONFIG_DAMAGED', message: /WWW-Authenticate must be of ASCII/ })
  })

  it('warns where other users may enter the data folder, and lets none read LevelDB', async function () {
    if (process.platform === 'win32') this.skip()
    const warned = async mode => {
      const lines = []
      fs.chmodSync(folder, mode)
      const server = await start({ storage: 'classic-level', path: folder, allowVolatile: true, admins: { anna: 'secret' }, log: text => lines.push(text) })
      await server.close()
      return lines.filter(line => line.includes(`Other users of this machine may enter the data folder ${folder}`)).length
    }
    assert.equal(await warned(0o755), 1)
    assert.equal(fs.statSync(path.join(folder, 'classic-level')).mode & 0o777, 0o700)
    fs.chmodSync(path.join(folder, 'classic-level'), 0o755)
    assert.equal(await warned(0o700), 0)
    assert.equal(fs.statSync(path.join(folder, 'classic-level')).mode & 0o777, 0o700)
  })

  it('warns where the data folder has databases in another storage', async () => {
    const warned = async storage => {
      const lines = []
      const server = await start({ storage, path: folder, allowVolatile: true, admins: { anna: 'secret' }, log: text => lines.push(text) })
      await server.close()
      return [...lines.join('').matchAll(/has databases in the storage (\S+), too, which are not served: --storage (\S+) serves/g)].map(([, ...names]) => names)
    }
    assert.deepEqual(await warned('classic-level'), [])
    assert.deepEqual(await warned('memory'), [['classic-level', 'classic-level']])
    assert.deepEqual(await warned('auto'), [])
  })

  it('warns where a configuration of CouchDB says where databases are', async () => {
    const warned = async couchdb => {
      const lines = []
      const server = await start({ path: folder, admins: { anna: 'secret' }, config: { ...quick, couchdb }, log: text => lines.push(text) })
      await server.close()
      return [...lines.join('').matchAll(/\[couchdb\] (\w+) says (\S+), and is not heard/g)].map(([, key, place]) => `${key} ${place}`)
    }
    assert.deepEqual(await warned({ database_dir: './data', view_index_dir: '/var/lib/couchdb' }), ['database_dir ./data', 'view_index_dir /var/lib/couchdb'])
    assert.deepEqual(await warned({ database_dir: folder, view_index_dir: '.' }), [])
  })

  it('quotes what functions throw in the background on a line of the log, and not all of it', async () => {
    const admins = { anna: 'secret' }
    const headers = { ...basic('anna', 'secret'), 'Content-Type': 'application/json' }
    let told
    const warned = new Promise(resolve => { told = resolve })
    const { url } = await start({ admins, log: text => { if (text.includes('not indexed')) told(text) } })
    const map = 'function (doc) { throw ["fatal", "x\\n[error] y", "z".repeat(1e6)] }'
    const write = async (path, body) => assert.equal((await fetch(`${url}/${path}`, { method: 'PUT', headers, body: JSON.stringify(body) })).status, 201)
    await write('db')
    await write('db/a', {})
    await write('db/_design/d', { views: { v: { map } } })
    const text = await warned
    assert.match(text, /^\[warning\] \S+ nonode@nohost <\d+> -------- db _design\/d: not indexed in the background: x\\x0a\[error\] y: z+\n$/)
    assert.ok(text.length < 3000)
  })

  it('hashes the plain passwords in its ini file', async () => {
    fs.writeFileSync(path.join(folder, 'potoroo.ini'), '[admins]\nanna = plain text\n')
    const { url } = await start({ path: folder })
    assert.match(fs.readFileSync(path.join(folder, 'potoroo.ini'), 'utf8'), /^anna = -pbkdf2:sha256-/m)
    assert.equal((await fetch(`${url}/_all_dbs`, { headers: basic('anna', 'plain text') })).status, 200)
  })

  it('keeps its identity, its administrators and its databases', async () => {
    const options = { path: folder, storage: /** @type {const} */ ('classic-level'), allowVolatile: true, admins: { anna: 'secret' } }
    const first = await start(options)
    const { uuid } = await (await fetch(first.url)).json()
    await fetch(`${first.url}/kept`, { method: 'PUT', headers: basic('anna', 'secret') })
    await first.close()
    const { admins, ...rest } = options
    const second = await start(rest)
    assert.equal((await (await fetch(second.url)).json()).uuid, uuid)
    assert.equal((await fetch(`${second.url}/kept`, { headers: basic('anna', 'secret') })).status, 200)
  })

  it('keeps sessions, and a database for each user', async () => {
    const options = { path: folder, storage: /** @type {const} */ ('classic-level'), allowVolatile: true, admins: { anna: 'secret' }, config: { ...quick, couch_peruser: { enable: true } } }
    const first = await start(options)
    const json = { 'Content-Type': 'application/json' }
    const login = await fetch(`${first.url}/_session`, { method: 'POST', headers: json, body: JSON.stringify({ name: 'anna', password: 'secret' }) })
    const cookie = /** @type {string} */ (login.headers.get('set-cookie')).split(';')[0]
    const made = once(first.service.databases.users, 'created')
    const jan = { name: 'jan', type: 'user', roles: [], password: 'apple' }
    await fetch(`${first.url}/_users/org.couchdb.user:jan`, { method: 'PUT', headers: { ...json, ...basic('anna', 'secret') }, body: JSON.stringify(jan) })
    assert.equal((await made)[0], 'userdb-6a616e')
    await first.close()
    const second = await start(options)
    const session = await (await fetch(`${second.url}/_session`, { headers: { Cookie: cookie } })).json()
    assert.deepEqual(session.userCtx, { name: 'anna', roles: ['_admin'] })
    const mine = () => fetch(`${second.url}/userdb-6a616e`, { headers: basic('jan', 'apple') })
    // It may have been made, and not yet secured, when the first was closed.
    while ((await mine()).status !== 200);
  })

  it('lives in a level that it is given, and leaves that open', async () => {
    const level = new MemoryLevel()
    const server = await start({ level, admins: { anna: 'secret' } })
    await server.close()
    assert.equal(level.status, 'open')
    await level.close()
  })

  it('logs damage of the storage, and tells whoever asked no more than that', async () => {
    class DamagedLevel extends MemoryLevel {
      fault = null

      getSync (...given) {
        if (this.fault !== null) throw this.fault
        return super.getSync(...given)
      }
    }
    const level = new DamagedLevel()
    const lines = []
    const server = await start({ level, adminParty: true, log: text => lines.push(text) })
    const read = async fault => {
      level.fault = fault
      lines.length = 0
      const response = await fetch(`${server.url}/db/a`)
      const { reason } = await response.json()
      level.fault = null
      server.service.log.flush()
      return { status: response.status, reason, log: lines.join('') }
    }
    await fetch(`${server.url}/db`, { method: 'PUT' })
    await fetch(`${server.url}/db/a`, { method: 'PUT', body: '{}' })
    const damaged = await read(Object.assign(new Error('page 7 is damaged'), { code: 'LEVEL_CORRUPTION' }))
    assert.deepEqual([damaged.status, damaged.reason], [500, 'The storage is damaged'])
    assert.match(damaged.log, /error.*GET \/db\/a: Error: page 7 is damaged/)
    const unknown = await read(new Error('the level is at its end'))
    assert.deepEqual([unknown.status, unknown.reason], [500, 'Internal server error'])
    assert.match(unknown.log, /GET \/db\/a: Error: the level is at its end/)
    const expired = await read(Object.assign(new Error('too old'), { code: 'LEVEL_SNAPSHOT_EXPIRED' }))
    assert.deepEqual([expired.status, expired.log], [503, ''])
    await server.close()
    await level.close()
  })

  it('can leave authentication to the application around it', async () => {
    const { url } = await start({ adminParty: true })
    assert.equal((await fetch(`${url}/party`, { method: 'PUT' })).status, 201)
  })

  it('asks for a name where that is configured', async () => {
    const { url } = await start({ admins: { anna: 'secret' }, config: { ...quick, chttpd: { require_valid_user: true } } })
    assert.equal((await fetch(`${url}/_uuids`)).status, 401)
    assert.equal((await fetch(`${url}/_uuids`, { headers: basic('anna', 'secret') })).status, 200)
    assert.equal((await fetch(`${url}/_up`)).status, 401)
    assert.equal((await fetch(`${url}/_up`)).headers.get('www-authenticate'), 'Basic realm="server"')
  })

  it('answers in any server that calls a function with request and response', async () => {
    const databases = potoroo({ storage: 'memory', admins: { anna: 'secret' }, config: quick })
    closing.push(databases)
    const plain = http.createServer(databases).listen(0, '127.0.0.1')
    await once(plain, 'listening')
    const url = `http://127.0.0.1:${/** @type {any} */ (plain.address()).port}`
    assert.equal((await (await fetch(url)).json()).couchdb, 'Welcome')
    plain.closeAllConnections()
    plain.close()
  })

  it('does not change what requests are made of', async () => {
    const { url, server } = await start({ adminParty: true })
    /** @type {any[]} */
    const seen = []
    server.prependListener('request', (req, res) => seen.push([req, Object.getPrototypeOf(req), res, Object.getPrototypeOf(res)]))
    await fetch(url)
    const [[req, requestPrototype, res, responsePrototype]] = seen
    assert.equal(Object.getPrototypeOf(req), requestPrototype)
    assert.equal(Object.getPrototypeOf(res), responsePrototype)
    assert.equal(typeof req.get, 'function', 'express\'s own methods are there')
    assert.equal(typeof res.json, 'function')
  })

  it('logs a fault of its own with its stack, says no more than that it is one, and lives on', async () => {
    const lines = []
    const { url, service } = await start({ adminParty: true, log: text => lines.push(text) })
    const { databases } = service
    const list = databases.list
    databases.list = () => { throw new Error('a secret of the server') }
    const response = await fetch(`${url}/_all_dbs`)
    databases.list = list
    assert.equal(response.status, 500)
    assert.deepEqual(await response.json(), { error: 'internal_server_error', reason: 'Internal server error' })
    assert.equal((await fetch(`${url}/_all_dbs`)).status, 200)
    service.log.flush()
    assert.match(lines.join(''), /GET \/_all_dbs: Error: a secret of the server\n +at /)
  })

  it('logs requests where that is wanted', async () => {
    const lines = []
    const server = await start({ adminParty: true, log: text => lines.push(text), config: { ...quick, log: { level: 'notice' } } })
    await fetch(`${server.url}/_all_dbs?limit=1`)
    await server.close()
    assert.match(lines.join(''), /^\[notice\] \S+ nonode@nohost <\d+> [0-9a-f]{10} 127\.0\.0\.1:\d+ \S+ undefined GET \/_all_dbs\?limit=1 200 ok \d+\.\d\n/m)
  })

  it('logs the path that was asked, and not the one that a virtual host makes of it', async () => {
    const lines = []
    const server = await start({ admins: { anna: 'secret' }, log: text => lines.push(text), config: { ...quick, log: { level: 'notice' }, vhosts: { 'up.example': '/_up' } } })
    const { port } = new URL(server.url)
    const asked = http.get({ port, path: '/?a=1', headers: { host: 'up.example' }, agent: false })
    const [answer] = await once(asked, 'response')
    answer.resume()
    await once(answer, 'end')
    await server.close()
    assert.match(lines.join(''), / GET \/\?a=1 200 ok /)
  })

  it('rejects when its port is taken, and leaves nothing open', async () => {
    const { url } = await start({ adminParty: true })
    const port = Number(new URL(url).port)
    await assert.rejects(serve({ port, storage: 'classic-level', path: folder, allowVolatile: true, admins: { a: 'b' }, config: quick }), { code: 'EADDRINUSE' })
    const again = await start({ storage: 'classic-level', path: folder, allowVolatile: true })
    assert.equal((await fetch(`${again.url}/_up`)).status, 200)
  })

  it('tells of a scrub that cannot begin', async () => {
    const lines = []
    const { service } = await start({ adminParty: true, log: text => lines.push(text) })
    Object.assign(service.storage.level, { scrub () {}, stats () { throw new Error('The pool fails') } })
    service.scrub.start()
    while (service.scrub.status().running) await new Promise(setImmediate)
    assert.equal(service.scrub.status().failed, 'The pool fails')
    service.log.flush()
    assert.match(lines.join(''), /Scrub: Error: The pool fails/)
  })

  it('closes once, however often it is asked', async () => {
    const server = await start({ adminParty: true })
    await Promise.all([server.close(), server.close()])
  })
})
