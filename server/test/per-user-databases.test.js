'use strict'

const assert = require('node:assert/strict')
const { once } = require('node:events')
const { MemoryLevel } = require('memory-level')
const { authSettings } = require('../lib/auth/auth-settings')
const { KeyDerivation } = require('../lib/users/key-derivation')
const { Users } = require('../lib/users/users')
const { Config } = require('../lib/config/config')
const { ServerDatabases } = require('../lib/databases/server-databases')
const { PerUserDatabases } = require('../lib/databases/per-user-databases')

const nameOf = user => `userdb-${Buffer.from(user).toString('hex')}`

describe('a database for each user', () => {
  let level, config, databases, users, perUser, lines

  const open = async (values = {}) => {
    lines = []
    config = new Config(null, { couch_peruser: values })
    databases = await ServerDatabases.open(level, config)
    users = await databases.get('_users')
    const log = { quote: (_, text) => lines.push(text) }
    const known = new Users(config, authSettings(config), databases, new KeyDerivation(), () => {})
    perUser = new PerUserDatabases(/** @type {any} */ ({ config, databases, users: known, log }))
    perUser.open()
  }
  const close = async () => {
    await perUser.close()
    await databases.close()
  }
  const add = name => users.put({ _id: `org.couchdb.user:${name}`, name })
  const remove = async name => {
    const { rev } = await users.get(`org.couchdb.user:${name}`)
    await users.put({ _id: `org.couchdb.user:${name}`, _rev: rev, _deleted: true })
  }
  const securityOf = async name => databases.security(await databases.get(nameOf(name)))
  /** Until the security object of this user's database is as `holds` wants it. */
  const secured = async (name, holds) => {
    while (!databases.has(nameOf(name))) await once(databases.users, 'created')
    while (!holds(await securityOf(name))) await new Promise(resolve => setImmediate(resolve))
    return securityOf(name)
  }
  const lists = name => security => [security.admins?.names, security.members?.names].every(names => names?.includes(name))

  beforeEach(async () => { level = new MemoryLevel(); await level.open() })
  afterEach(async () => { await close(); await level.close() })

  it('is made and secured for who comes, whatever the name', async () => {
    await open({ enable: true })
    for (const name of ['jan', 'Zoë', '日本']) {
      await add(name)
      assert.deepEqual(await secured(name, lists(name)), { members: { roles: ['_admin'], names: [name] }, admins: { roles: ['_admin'], names: [name] } })
    }
    assert.ok(databases.has('userdb-5a6fc3ab'))
  })

  it('is not made unless it is switched on, and then for all who are there', async () => {
    await open()
    await add('jan')
    await add('eva')
    await remove('eva')
    assert.deepEqual(databases.list(), ['_replicator', '_users'])
    config.set('couch_peruser', 'enable', 'true')
    await secured('jan', lists('jan'))
    assert.ok(!databases.has(nameOf('eva')))
  })

  it('is made for who came while the server was away, and again where somebody deleted it', async () => {
    await open({ enable: true })
    await add('jan')
    await add('eva')
    await secured('eva', lists('eva'))
    await perUser.close()
    await add('kim')
    await databases.destroy(nameOf('jan'))
    await databases.close()
    await open({ enable: true })
    for (const name of ['jan', 'kim']) await secured(name, lists(name))
  })

  it('keeps what administrators make of its security object', async () => {
    await open({ enable: true })
    await add('jan')
    await secured('jan', lists('jan'))
    await databases.setSecurity(nameOf('jan'), { members: { names: ['other'] } })
    await close()
    await open({ enable: true })
    await add('later')
    await secured('later', lists('later'))
    assert.deepEqual(await securityOf('jan'), { members: { names: ['other'] } })
  })

  it('stays without its user, who may no longer come, or goes too', async () => {
    await open({ enable: true })
    await add('jan')
    await secured('jan', lists('jan'))
    await remove('jan')
    const left = await secured('jan', security => security.members.names.length === 0)
    assert.deepEqual(left, { members: { roles: ['_admin'], names: [] }, admins: { roles: ['_admin'], names: [] } })
    config.set('couch_peruser', 'delete_dbs', 'true')
    await add('eva')
    await secured('eva', lists('eva'))
    const deleted = once(databases.users, 'deleted')
    await remove('eva')
    assert.equal((await deleted)[0], nameOf('eva'))
    assert.ok(databases.has(nameOf('jan')))
  })

  it('is deleted once, also after a user whose name is too long for a database', async () => {
    await open({ enable: true, delete_dbs: true })
    await add('x'.repeat(200))
    await add('eva')
    await secured('eva', lists('eva'))
    const deleted = once(databases.users, 'deleted')
    await remove('eva')
    await deleted
    await add('jan')
    await secured('jan', lists('jan'))
    await databases.create(nameOf('eva'))
    await close()
    await open({ enable: true, delete_dbs: true })
    await add('kim')
    await secured('kim', lists('kim'))
    assert.ok(databases.has(nameOf('eva')))
  })

  it('has the prefix that is configured, if names may begin so', async () => {
    await open({ enable: true, database_prefix: 'home-' })
    await add('jan')
    while (!databases.has('home-6a616e')) await once(databases.users, 'created')
    config.set('couch_peruser', 'database_prefix', 'Home-')
    while (lines.length === 0) await new Promise(resolve => setImmediate(resolve))
    assert.match(lines.join(), /no database can begin with Home-/)
  })
})
