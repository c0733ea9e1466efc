'use strict'

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const PouchDB = require('pouchdb-core').plugin(require('pouchdb-adapter-http'))
const { serve } = require('potoroo')
const { serveExpressPouchDB } = require('../../perf/lib/http/servers')

/**
 * Servers that databases are imported from: name → how to start one. `url` has an administrator's
 * credentials. A CouchDB is among them where COUCHDB_URL names one.
 *
 * @type {Record<string, () => Promise<{ url: string, close: () => Promise<any> }>>}
 */
const servers = {
  async Potoroo () {
    const { url, close } = await serve({ storage: 'memory', port: 0, admins: { anna: 'a secret' }, config: { chttpd_auth: { iterations: 1 } } })
    return { url: url.replace('//', '//anna:a%20secret@'), close }
  },
  async 'PouchDB Server' () {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'potoroo-source-'))
    const { url, close } = await serveExpressPouchDB(require('pouchdb-adapter-leveldb'), 'leveldb', { folder, port: 0 })
    return {
      url,
      async close () {
        await close()
        fs.rmSync(folder, { recursive: true })
      }
    }
  }
}

const couch = process.env.COUCHDB_URL
if (couch !== undefined) servers.CouchDB = async () => ({ url: couch.replace(/\/$/, ''), close: async () => {} })

/**
 * A new database of a server, by PouchDB.
 *
 * @param {string} url of the server
 * @param {string} name
 */
async function createDatabase (url, name) {
  const address = new URL(`${url}/${encodeURIComponent(name)}`)
  const { username, password } = address
  address.username = address.password = ''
  const auth = username === '' ? undefined : { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  const before = new PouchDB(address.href, { adapter: 'http', auth })
  await before.destroy()
  return new PouchDB(address.href, { adapter: 'http', auth })
}

module.exports = { servers, createDatabase }
