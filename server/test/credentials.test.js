'use strict'

const assert = require('node:assert/strict')
const { MemoryLevel } = require('memory-level')
const { authSettings } = require('../lib/auth/auth-settings')
const { Credentials } = require('../lib/auth/credentials')
const { KeyDerivation } = require('../lib/users/key-derivation')
const { Lockout } = require('../lib/users/lockout')
const { Users } = require('../lib/users/users')
const { Config } = require('../lib/config/config')
const { ServerDatabases } = require('../lib/databases/server-databases')
const { UnlimitedView } = require('../lib/databases/database-view')
const { applyPolicies } = require('../lib/databases/view-of-user')

/** Counts what it is asked for. */
class CountingDerivation extends KeyDerivation {
  calls = 0
  iterations = 0

  derive (client, what) {
    this.calls++
    this.iterations += what.iterations
    return super.derive(client, what)
  }
}

const ITERATIONS = 1000

describe('credentials', () => {
  let config, databases, users, credentials, derivation, store, warnings

  beforeEach(async () => {
    warnings = []
    config = new Config(null, { chttpd_auth: { iterations: ITERATIONS }, chttpd_auth_lockout: { mode: 'off' } })
    const settings = authSettings(config)
    databases = await ServerDatabases.open(new MemoryLevel(), config)
    derivation = new CountingDerivation()
    const log = (_, text) => warnings.push(text)
    users = new Users(config, settings, databases, derivation, log)
    await users.open()
    credentials = new Credentials(users, settings, derivation, new Lockout(settings, text => warnings.push(text)), log)
    store = applyPolicies(/** @type {any} */ ({ users }), new UnlimitedView(await databases.get('_users')), { name: 'anna', roles: ['_admin'] }, {}, true)
    for (const name of ['jan', 'eva']) await add(name)
  })
  afterEach(() => databases.close())

  const add = (name, members = {}) => store.put({ _id: `org.couchdb.user:${name}`, type: 'user', name, roles: [], password: 'apple', ...members })
  const change = async (name, members) => {
    const { rev, body } = await store.get(`org.couchdb.user:${name}`)
    return store.put({ ...JSON.parse(body), _id: `org.couchdb.user:${name}`, _rev: rev, ...members })
  }
  const check = (name, password = 'apple', client = 'here') => credentials.check(name, password, client)
  const known = (name, password = 'apple') => credentials.known(credentials.digest(Buffer.from(`${name}:${password}`).toString('base64')), 'here')
  const costs = async action => {
    const before = derivation.iterations
    await action().catch(error => { if (error.status !== 401) throw error })
    return derivation.iterations - before
  }

  it('that are right cost a derivation once, many at a time too', async () => {
    assert.equal(await costs(() => Promise.all(Array.from({ length: 50 }, () => check('jan')))), ITERATIONS)
    assert.equal(await costs(() => check('jan')), 0)
    assert.equal(known('jan').name, 'jan')
    assert.equal(known('jan'), known('jan'))
  })

  it('that are wrong cost as much whether the name exists or not, whatever its hash', async () => {
    for (const [name, hashing] of [['few', { iterations: 10 }], ['simple', { password_scheme: 'simple' }], ['other', { pbkdf2_prf: 'sha512' }]]) {
      for (const [key, value] of Object.entries(hashing)) config.set('chttpd_auth', key, String(value))
      await add(name)
      for (const key of Object.keys(hashing)) config.delete('chttpd_auth', key)
      config.set('chttpd_auth', 'iterations', String(ITERATIONS))
    }
    for (const name of ['jan', 'few', 'simple', 'other', 'nobody', '', 'a:b', '__proto__']) {
      assert.equal(await costs(() => check(name, 'wrong')), ITERATIONS, name)
    }
    assert.equal(await costs(() => check('jan', 'wrong')), ITERATIONS, 'and again')
    await check('jan')
    assert.equal(await costs(() => check('jan', 'wrong')), ITERATIONS, 'though the right one is known')
  })

  it('are forgotten by the change of that user, and of no other', async () => {
    await Promise.all([check('jan'), check('eva')])
    await change('jan', { password: 'plum' })
    assert.equal(known('jan'), undefined)
    assert.equal(known('eva').name, 'eva')
    await assert.rejects(check('jan'), { status: 401 })
    assert.equal((await check('jan', 'plum')).name, 'jan')
    await change('eva', { _deleted: true })
    assert.equal(known('eva'), undefined)
    await assert.rejects(check('eva'), { status: 401 })
  })

  it('have new roles at once', async () => {
    assert.deepEqual((await check('jan')).roles, [])
    await change('jan', { roles: ['editor'] })
    assert.deepEqual((await check('jan')).roles, ['editor'])
    assert.deepEqual(known('jan').roles, ['editor'])
  })

  it('that were verified while the user changed are not remembered', async () => {
    const verifying = check('jan')
    await change('jan', { password: 'plum' })
    await verifying.catch(error => assert.equal(error.status, 401))
    assert.equal(known('jan'), undefined)
  })

  it('of administrators are forgotten by their change', async () => {
    await users.setAdmin('root', 'apple')
    assert.deepEqual((await check('root')).roles, ['_admin'])
    await users.setAdmin('root', 'plum')
    assert.equal(known('root'), undefined)
    await assert.rejects(check('root'), { status: 401 })
    config.delete('admins', 'root')
    await assert.rejects(check('root', 'plum'), { status: 401 })
  })

  it('are remembered so many, and for so long', async () => {
    config.set('couch_passwords_cache', 'max_objects', '1')
    await check('jan')
    await check('eva')
    assert.equal(known('jan'), undefined)
    assert.equal(known('eva').name, 'eva')
    config.set('couch_passwords_cache', 'max_idle', '-1')
    assert.equal(known('eva'), undefined)
    config.set('couch_passwords_cache', 'enable', 'false')
    await check('eva')
    assert.equal(known('eva'), undefined)
  })

  it('get a hash of today at the next login, once, with the salt that they had', async () => {
    const { salt } = JSON.parse((await store.get('org.couchdb.user:jan')).body)
    config.set('chttpd_auth', 'iterations', '1001')
    const changed = new Promise(resolve => { users.onForget(name => { if (name === 'jan') resolve(name) }) })
    await check('jan')
    await changed
    const after = JSON.parse((await store.get('org.couchdb.user:jan')).body)
    assert.equal(after.iterations, 1001)
    assert.equal(after.salt, salt)
    assert.equal((await check('jan')).name, 'jan')
    assert.equal(await costs(() => check('jan')), 0)
  })

  it('get it by what they are when it is made, and not what they were at the login', async () => {
    config.set('chttpd_auth', 'iterations', '1001')
    await check('jan')
    const { id: _id, rev: _rev, body } = await store.get('org.couchdb.user:jan')
    await store.put({ ...JSON.parse(body), _id, _rev, more: 1 })
    await check('jan')
    await new Promise(resolve => { users.onForget(name => { if (name === 'jan') resolve(name) }) })
    const { iterations, more } = JSON.parse((await store.get('org.couchdb.user:jan')).body)
    assert.deepEqual([iterations, more], [1001, 1])
  })

  describe('with a lock', () => {
    beforeEach(() => config.set('chttpd_auth_lockout', 'mode', 'enforce'))

    const LOCKED = { status: 403, reason: 'Account is temporarily locked due to multiple authentication failures' }
    const fail = async (name, times, client) => { for (let i = 0; i < times; i++) await assert.rejects(check(name, 'wrong', client), { status: 401 }) }

    for (const name of ['jan', 'nobody']) {
      it(`refuse what comes after five wrong ones of ${name}, the right one too, and derive nothing`, async () => {
        await fail(name, 5)
        const { calls } = derivation
        await assert.rejects(check(name), ({ headers, ...error }) => error.status === LOCKED.status && Number(headers['Retry-After']) > 290 && Number(headers['Retry-After']) <= 300)
        assert.match(warnings.at(-1), new RegExp(`^Authentication rejected for locked-out user ${name} from here, for 5 min more$`))
        await assert.rejects(check(name, 'wrong'), LOCKED)
        assert.equal(derivation.calls, calls)
        await fail(name, 1, 'elsewhere')
        assert.equal((await check('eva')).name, 'eva')
      })
    }

    it('stop a guesser who tries many at once', async () => {
      const { calls } = derivation
      const guesses = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => check('jan', `guess ${i}`)))
      assert.deepEqual([401, 403].map(status => guesses.filter(({ reason }) => reason.status === status).length), [5, 95])
      assert.equal(derivation.calls, calls + 5)
    })

    it('lock out who tries second factors, many at a time too', async () => {
      await add('two', { totp: { key: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' } })
      const attempt = async token => credentials.requireSecondFactor(await check('two'), 'here', token)
      const answers = await Promise.allSettled(['12', '345', undefined, '6789', '01', '2', '3'].map(attempt))
      assert.deepEqual(answers.map(({ reason }) => reason.status), [401, 401, 401, 401, 401, 403, 403])
      await assert.rejects(check('two'), LOCKED)
      assert.equal((await check('two', 'apple', 'elsewhere')).name, 'two')
    })

    it('lock out who was known, and only for their client', async () => {
      await check('jan')
      await fail('jan', 5)
      assert.throws(() => known('jan'), LOCKED)
      assert.equal((await check('jan', 'apple', 'elsewhere')).name, 'jan')
    })

    it('open with a new password, and when the time is over', async () => {
      await fail('jan', 5)
      await change('jan', { password: 'plum' })
      assert.equal((await check('jan', 'plum')).name, 'jan')
      config.set('chttpd_auth_lockout', 'max_lifetime', '0')
      await fail('eva', 9)
    })

    it('only warn, or do nothing, where that is configured', async () => {
      config.set('chttpd_auth_lockout', 'mode', 'warn')
      await fail('jan', 6)
      assert.ok(warnings.some(text => text === 'authentication failure threshold reached for jan from here'))
      assert.equal((await check('jan')).name, 'jan')
      config.set('chttpd_auth_lockout', 'mode', 'off')
      await fail('eva', 9)
      assert.equal((await check('eva')).name, 'eva')
    })

    it('count so many names and no more', async () => {
      config.set('chttpd_auth_lockout', 'max_objects', '2')
      await fail('jan', 5)
      await fail('a', 1)
      await fail('b', 1)
      assert.equal((await check('jan')).name, 'jan')
    })
  })
})
