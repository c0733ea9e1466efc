'use strict'

/** @type {import('../support/case').Case[]} */
module.exports = [
  {
    what: 'the design document `_auth` of `_users`',
    differs: true,
    async run (db) {
      await db.server('GET', '/_users/_design/_auth')
    }
  },
  {
    what: 'the security of users',
    async run (db) {
      await db.server('GET', '/_users/_security')
      await db.server('PUT', '/_users/_security', { admins: { names: ['x'] } })
      await db.server('GET', '/_replicator/_security')
    }
  },
  {
    what: 'user documents',
    async run (db) {
      const name = db.name
      const path = `/_users/org.couchdb.user:${name}`
      const doc = { name, type: 'user', roles: [] }
      for (const wrong of [{}, { name }, { name, type: 'user' }, { name, type: 'x', roles: [] }, { ...doc, roles: 'x' }, { ...doc, roles: [5] }, { ...doc, roles: ['_x'] }, { ...doc, name: 'other' }, { ...doc, password: 5 }, { ...doc, password_scheme: 'bad' }]) await db.server('PUT', path, wrong)
      const { json: { rev } } = await db.server('PUT', path, { ...doc, password: 'apple' })
      await db.server('DELETE', `${path}?rev=${rev}`)
    }
  }
]
