'use strict'

const assert = require('node:assert/strict')
const vm = require('node:vm')
const { MemoryLevel } = require('memory-level')
const { toObject } = require('@potoroo/document-store')
const { AUTH_DESIGN } = require('../lib/users/auth-design')
const { authSettings } = require('../lib/auth/auth-settings')
const { KeyDerivation } = require('../lib/users/key-derivation')
const { validateUser } = require('../lib/users/user-document')
const { Users } = require('../lib/users/users')
const { Config } = require('../lib/config/config')
const { ServerDatabases } = require('../lib/databases/server-databases')
const { UnlimitedView } = require('../lib/databases/database-view')
const { applyPolicies } = require('../lib/databases/view-of-user')

const anna = { name: 'anna', roles: ['_admin'] }
const jan = { name: 'jan', roles: [] }
const nobody = { name: null, roles: [] }
const id = name => `org.couchdb.user:${name}`
const documentOf = (name, members) => ({ _id: id(name), type: 'user', name, roles: [], ...members })

describe('the database of users', () => {
  let config, databases, store, users
  const seenBy = (user, security = {}) => applyPolicies(/** @type {any} */ ({ users }), new UnlimitedView(store), user, security, true)

  beforeEach(async () => {
    config = new Config(null, { chttpd_auth: { iterations: 5 } })
    databases = await ServerDatabases.open(new MemoryLevel(), config)
    users = new Users(config, authSettings(config), databases, new KeyDerivation(), () => {})
    store = await databases.get('_users')
  })
  afterEach(() => databases.close())

  it('tells administrators alone what was purged', async () => {
    const { rev } = await store.put({ _id: id('jan') })
    await seenBy(anna).purge({ [id('jan')]: [rev] })
    const [purge] = (await seenBy(anna).purges()).purges
    assert.equal(purge.id, id('jan'))
    for (const user of [jan, nobody]) {
      await assert.rejects(seenBy(user).purges(), { code: 'UNAUTHORIZED' })
      await assert.rejects(seenBy(user).purge({}), { code: 'UNAUTHORIZED' })
    }
  })

  it('is not remembered as it was once a change is written', async () => {
    const jan = documentOf('jan', { password_scheme: 'simple', password_sha: 'a', salt: 'b' })
    await users.open()
    const { rev } = await store.put(jan)
    const before = await users.find('jan')
    assert.equal(users.isKnown(before), true)
    let isKnown
    store.once('commit', () => queueMicrotask(() => { isKnown = users.isKnown(before) }))
    await store.put({ ...jan, _rev: rev })
    assert.equal(isKnown, false)
  })

  it('is open to whom `default_security` lets in', async () => {
    assert.deepEqual((await databases.security(store)).admins, { roles: ['_admin'] })
    const open = await ServerDatabases.open(new MemoryLevel(), new Config(null, { couchdb: { default_security: 'everyone' } }))
    assert.deepEqual(await open.security(await open.get('_users')), {})
    assert.deepEqual((await open.security(await open.get('_replicator'))).admins, { roles: ['_admin'] })
    await open.close()
  })

  it('gets its design document at the next start, where it has none', async () => {
    const level = new MemoryLevel()
    for (const deletion of ['purge', 'remove']) {
      const before = await ServerDatabases.open(level, config)
      const old = await before.get('_users')
      const { rev } = await old.get('_design/_auth')
      if (deletion === 'purge') await old.purge({ '_design/_auth': [rev] })
      else await old.put({ _id: '_design/_auth', _rev: rev, _deleted: true })
      await assert.rejects(old.get('_design/_auth'), { status: 404 })
      await before.close()
      const after = await ServerDatabases.open(level, config)
      const { body } = await (await after.get('_users')).get('_design/_auth')
      assert.equal(JSON.parse(body).validate_doc_update, AUTH_DESIGN.validate_doc_update)
      await after.close()
    }
  })

  it('starts where that cannot be written', async () => {
    const level = new MemoryLevel()
    const before = await ServerDatabases.open(level, config)
    const old = await before.get('_users')
    await old.purge({ '_design/_auth': [(await old.get('_design/_auth')).rev] })
    await before.close()
    level.batch = async () => { throw new Error('full') }
    const after = await ServerDatabases.open(level, config)
    await assert.rejects((await after.get('_users')).get('_design/_auth'), { status: 404 })
    await after.close().catch(() => {})
  })

  it('has a design document that says what users are like, and that administrators change', async () => {
    const { rev, body } = await seenBy(anna).get('_design/_auth')
    assert.match(body, /"validate_doc_update":"function \(newDoc, oldDoc, userCtx, secObj\)/)
    await assert.rejects(seenBy(jan).get('_design/_auth'), { code: 'FORBIDDEN' })
    await assert.rejects(seenBy(anna).put({ _id: '_design/_auth' }), { code: 'CONFLICT' })
    await assert.rejects(seenBy(jan).put({ _id: '_design/_auth', _rev: rev }), { status: 404 })
    assert.equal((await seenBy(anna).put({ _id: '_design/_auth', _rev: rev, more: 1 })).ok, true)
  })

  it('has a function there that refuses what the server refuses, in the same words', () => {
    const asked = vm.runInNewContext(`(${AUTH_DESIGN.validate_doc_update})`, { isArray: Array.isArray })
    const wordsOf = action => {
      try {
        action()
        return null
      } catch (error) {
        return error.forbidden ?? error.reason
      }
    }
    const jansOwn = documentOf('jan')
    const hashed = { password_scheme: 'pbkdf2', iterations: 10, derived_key: 'aa', salt: 's' }
    const docs = [
      jansOwn, { ...jansOwn, ...hashed }, { ...jansOwn, ...hashed, iterations: '1' }, { ...jansOwn, ...hashed, derived_key: 1 }, { ...jansOwn, password_sha: 'x' }, { ...jansOwn, password_scheme: 'x' },
      { ...jansOwn, type: 'x' }, { ...jansOwn, name: '' }, { ...jansOwn, name: 'eva' }, { ...jansOwn, roles: undefined }, { ...jansOwn, roles: {} }, { ...jansOwn, roles: [1] }, { ...jansOwn, roles: ['a'] },
      { ...jansOwn, roles: ['_x'] }, { ...jansOwn, roles: ['_metrics'] }, documentOf('_x'), documentOf('a:b'), { _id: id('jan'), _deleted: true }
    ]
    for (const doc of docs) {
      for (const before of [null, jansOwn, { ...jansOwn, roles: ['a'] }, documentOf('eva')]) {
        for (const user of [anna, jan, nobody, { name: 'boss', roles: ['head'] }]) {
          const secObj = { admins: { roles: ['head'] } }
          const isAdmin = user === anna || user.name === 'boss'
          assert.equal(wordsOf(() => asked(doc, before, user, secObj)), wordsOf(() => validateUser(doc, before, user, isAdmin)), JSON.stringify([doc, before, user]))
        }
      }
    }
  })

  it('keeps a password nowhere, in a tombstone neither', async () => {
    const { rev } = await seenBy(anna).put(documentOf('jan', { password: 'apple' }))
    await seenBy(anna).put({ _id: id('jan'), _rev: rev, _deleted: true, password: 'pear' })
    for (const { ok } of await store.openRevs(id('jan'), 'all')) assert.doesNotMatch(JSON.stringify(toObject(ok)), /apple|pear/)
  })

  it('keeps the salt where that is asked for, and with it sessions', async () => {
    const { rev } = await seenBy(anna).put(documentOf('jan', { password: 'apple' }))
    const { salt } = toObject(await store.get(id('jan')))
    const same = await seenBy(anna).put(documentOf('jan', { _rev: rev, password: 'pear', salt, preserve_salt: true }))
    const kept = toObject(await store.get(id('jan')))
    assert.equal(kept.salt, salt)
    assert.equal(kept.preserve_salt, undefined)
    await seenBy(anna).put(documentOf('jan', { _rev: same.rev, password: 'pear', salt }))
    assert.notEqual(toObject(await store.get(id('jan'))).salt, salt)
  })

  it('forgets exactly who changed, before a write is answered', async () => {
    await seenBy(anna).write([documentOf('jan', { password: 'apple' }), documentOf('eva', { password: 'plum' })])
    const [before, eva] = [await users.find('jan'), await users.find('eva')]
    assert.equal(await users.find('jan'), before)
    const { rev } = await store.get(id('jan'))
    await seenBy(anna).put(documentOf('jan', { _rev: rev, password: 'pear' }))
    assert.notEqual((await users.find('jan')).hash.salt, before.hash.salt)
    assert.equal(await users.find('eva'), eva)
    // A user who could make others be forgotten could have their keys derived again and again.
    await assert.rejects(seenBy(nobody).put(documentOf('eva', { password: 'mine' })), { status: 409 })
    assert.equal(await users.find('eva'), eva)
  })

  it('does not keep what was read while it changed', async () => {
    await seenBy(anna).put(documentOf('jan', { password: 'apple' }))
    const reading = users.find('jan')
    users.forget('jan')
    const read = await reading
    assert.equal(users.isKnown(read), false)
    assert.notEqual(await users.find('jan'), read)
  })

  it('shows others what is public of somebody, and nothing where nothing is', async () => {
    await seenBy(anna).put(documentOf('eva', { password: 'plum', email: 'eva@example.com' }))
    await assert.rejects(seenBy(jan).get(id('eva')), { code: 'MISSING' })
    config.set('chttpd_auth', 'public_fields', 'name, email')
    for (const user of [jan, nobody]) {
      const { _id, _rev, ...shown } = toObject(await seenBy(user).get(id('eva')))
      assert.deepEqual(shown, { name: 'eva', email: 'eva@example.com' })
      const [{ ok }] = await seenBy(user).openRevs(id('eva'), 'all')
      assert.equal(JSON.parse(ok.body).derived_key, undefined)
      const [got] = await seenBy(user).bulkGet([{ id: id('eva') }])
      assert.equal(JSON.parse(got.ok.body).derived_key, undefined)
    }
    assert.match(toObject(await seenBy({ name: 'eva', roles: [] }).get(id('eva'))).derived_key, /^[0-9a-f]{64}$/)
  })

  it('lets no document keep an administrator of the server out', async () => {
    config.set('admins', 'anna', '-hashed-00,00')
    const twice = ['1-a', '1-b'].map(_rev => documentOf('anna', { _rev, _revisions: { start: 1, ids: [_rev.slice(2)] } }))
    const results = await seenBy(nobody).write(twice, { newEdits: false })
    assert.deepEqual(results.filter(result => result instanceof Error), [])
    users.requireResolved(await users.find('anna'))
  })

  it('makes no document of an attachment', async () => {
    const file = { contentType: 'text/plain', data: Buffer.from('x') }
    await assert.rejects(seenBy(anna).putAttachment('x', 'file', file), { code: 'FORBIDDEN' })
    const { rev } = await seenBy(anna).put(documentOf('jan'))
    assert.equal((await seenBy(jan).putAttachment(id('jan'), 'file', file, { rev })).ok, true)
  })

  it('leaves its administrators what those of the server have', async () => {
    const security = { admins: { names: ['jan'] } }
    await seenBy(jan, security).put(documentOf('eva', { password: 'plum', roles: ['editor'] }))
    assert.equal(toObject(await seenBy(jan, security).get(id('eva'))).name, 'eva')
    assert.equal((await seenBy(jan, security).put({ _id: '_design/x' })).ok, true)
  })

  it('is meant by the name of the setting, too, and by what a name ends with', () => {
    config.set('chttpd_auth', 'authentication_db', 'people')
    config.set('couchdb', 'users_db_suffix', 'persons')
    for (const name of ['_users', 'people', 'a/_users', 'a/persons', 'persons']) assert.equal(users.isUsersDatabase(name), true, name)
    for (const name of ['users', 'a/people', 'x_users']) assert.equal(users.isUsersDatabase(name), false, name)
  })
})
