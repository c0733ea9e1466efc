'use strict'

const assert = require('node:assert/strict')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { createCommand } = require('../lib/commands/cli')
const { environmentHook } = require('../lib/commands/environment-options')
const { heldSettings, holdSettings, takeEnvironment, variables } = require('../lib/config/environment')
const { knownSettings, named } = require('../lib/config/known')
const { readRows } = require('../../scripts/lib/docs/configuration')

const OPTIONS = ['POTOROO_DATA', 'POTOROO_ADMIN']

/** @param {Record<string, string>} environment */
const take = environment => takeEnvironment(environment, OPTIONS)

describe('settings of the environment', () => {
  let folder

  beforeEach(() => { folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-environment-')) })
  afterEach(() => fs.rmSync(folder, { recursive: true }))

  it('are POTOROO_<SECTION>__<KEY>, taken out so that no child has them', () => {
    const environment = { HOME: '/', POTOROO_CHTTPD__PORT: '1', POTOROO_CHTTPD_AUTH__TIMEOUT: '7', POTOROO_CHTTPD__WWW_AUTHENTICATE: 'Basic', POTOROO_LOG__FILE: 'a.log', POTOROO_VHOSTS__Example: '/x', POTOROO_DATA: '/data', POTOROO_LOG__LEVEL: '' }
    assert.deepEqual(take(environment), {
      sections: { chttpd: { port: '1', 'WWW-Authenticate': 'Basic' }, chttpd_auth: { timeout: '7' }, log: { file: 'a.log' }, vhosts: { Example: '/x' } },
      options: { POTOROO_DATA: '/data' }
    })
    assert.deepEqual(environment, { HOME: '/' })
  })

  it('come from files, as secrets of containers do', () => {
    const file = path.join(folder, 'secret')
    fs.writeFileSync(file, 'anna:secret\n', { mode: 0o444 })
    const pem = path.join(folder, 'pem')
    fs.writeFileSync(pem, 'a\nb\n')
    assert.deepEqual(take({ POTOROO_CHTTPD_AUTH__SECRET_FILE: file, POTOROO_ADMIN_FILE: file, POTOROO_SSL__KEY_FILE: file, 'POTOROO_JWT_KEYS__rsa:_default_FILE': pem }), {
      sections: { chttpd_auth: { secret: 'anna:secret' }, ssl: { key_file: file }, jwt_keys: { 'rsa:_default': 'a\\nb' } },
      options: { POTOROO_ADMIN: 'anna:secret' }
    })
    assert.throws(() => take({ POTOROO_CHTTPD_AUTH__SECRET_FILE: pem }), /POTOROO_CHTTPD_AUTH__SECRET_FILE must be one line/)
    assert.throws(() => take({ POTOROO_CHTTPD_AUTH__SECRET_FILE: folder }), /POTOROO_CHTTPD_AUTH__SECRET_FILE cannot be read: it is a folder/)
    assert.throws(() => take({ POTOROO_CHTTPD_AUTH__SECRET_FILE: file, POTOROO_CHTTPD_AUTH__SECRET: 'x' }), /take one of them/)
  })

  it('are told if their name is wrong, with the nearest', () => {
    assert.throws(() => take({ POTOROO_CHTTPD_PORT: '1' }), /^Error: POTOROO_CHTTPD_PORT in the environment is no setting; do you mean POTOROO_CHTTPD__PORT\?$/)
    assert.throws(() => take({ POTOROO_DTA: '1' }), /do you mean POTOROO_DATA\?/)
    assert.throws(() => take({ POTOROO_CHTTPD_AUTH__SECRETS_FILE: '1' }), /do you mean POTOROO_CHTTPD_AUTH__SECRET\?/)
    assert.throws(() => take({ POTOROO_ENTIRELY_ELSE: '1' }), /Settings are POTOROO_<SECTION>__<KEY>/)
    assert.throws(() => take({ POTOROO_ADMINS__ANNA: 'secret' }), /an administrator is POTOROO_ADMIN=/)
  })

  it('pass over what Kubernetes says of a service of that name', () => {
    const environment = { POTOROO_SERVICE_HOST: '10.0.0.1', POTOROO_PORT: 'tcp://10.0.0.1:5984', POTOROO_PORT_5984_TCP_ADDR: '10.0.0.1', POTOROO_DB_SERVICE_PORT_HTTP: '1' }
    assert.deepEqual(take({ ...environment }), { sections: {}, options: {} })
  })

  it('are checked, those that only the ini file may hold too', () => {
    assert.throws(() => take({ POTOROO_CHTTPD__PORT: 'tcp' }), /^Error: POTOROO_CHTTPD__PORT: \[chttpd\] port must be a port, 0 to 65535$/)
    assert.deepEqual(take({ POTOROO_CLUSTER__SECRET: 'x' }).sections, { cluster: { secret: 'x' } })
  })

  it('are every setting that is documented, each by a name of its own', () => {
    const known = knownSettings()
    const missing = readRows().filter(({ section }) => !named.includes(section)).flatMap(({ section, keys }) => keys.filter(key => !known.get(section)?.includes(key)).map(key => `${section} ${key}`))
    assert.deepEqual(missing, [])
    const all = [...known].flatMap(([section, keys]) => keys.map(key => `${section} ${key}`))
    assert.equal(variables.size, all.length)
    const both = [...variables.keys()].filter(name => variables.has(`${name}_FILE`))
    assert.deepEqual(both, [])
  })

  describe('for commands', () => {
    after(() => holdSettings({}))

    /** The options that a command would run with. */
    function optionsOf (environment, ...words) {
      const program = createCommand()
      const command = program.commands.find(each => each.name() === words[0])
      const parsed = command.parseOptions(words.slice(1))
      assert.deepEqual(parsed.unknown, [])
      environmentHook(environment)(program, command)
      return command.opts()
    }

    it('stand for options that are not given', () => {
      const options = optionsOf({ POTOROO_DATA: '/data', POTOROO_SIZE: '64M', POTOROO_ALLOW_VOLATILE: 'true', POTOROO_STORAGE: 'memory', POTOROO_SCRUB__RATE: '7' }, 'serve', '--storage', 'pmem')
      assert.deepEqual([options.data, options.size, options.allowVolatile, options.storage], ['/data', 2 ** 26, true, 'pmem'])
      assert.deepEqual(heldSettings(), { scrub: { rate: '7' } })
      assert.throws(() => optionsOf({ POTOROO_DURABILITY: 'some' }, 'serve'), /^Error: POTOROO_DURABILITY in the environment: .*strict, relaxed/)
    })

    it('name a server, unless the command line names a folder', () => {
      const environment = { POTOROO_SERVER: 'http://127.0.0.1:1', POTOROO_DATA: '/data' }
      assert.equal(optionsOf({ ...environment }, 'check').server, environment.POTOROO_SERVER)
      assert.equal(optionsOf({ ...environment }, 'check', '--data', 'x').server, undefined)
    })

    it('hold in what they do, and end it with one sentence', () => {
      const run = environment => spawnSync(process.execPath, [path.join(__dirname, '../bin/potoroo.js'), 'user', 'list'], { encoding: 'utf8', env: { ...process.env, POTOROO_DATA: folder, ...environment } })
      fs.writeFileSync(path.join(folder, 'potoroo.ini'), '[couchdb]\n')
      const { status, stderr } = run({ POTOROO_CHTTPD__PRT: '1' })
      assert.deepEqual([status, stderr], [1, 'potoroo: POTOROO_CHTTPD__PRT in the environment is no setting; do you mean POTOROO_CHTTPD__PORT?\n'])
      assert.match(run({}).stderr, new RegExp(folder))
    })
  })
})
