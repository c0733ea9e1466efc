'use strict'

const { serve } = require('potoroo')

/** A newcomer writes this below the first lines of a README. */
const PROGRAM = `
async function main () {
  const db = new PouchDB('todos'OPTIONS)
  await db.put({ _id: 'milk', title: 'milk' })
  const remote = new PouchDB('URL/todos', { auth: { username: 'anna', password: 'secret' } })
  await remote.put({ _id: 'bread', title: 'bread' })
  await db.sync(remote)
  console.log('synced', (await remote.get('milk')).title, 'and', (await db.get('bread')).title + '; storage:', db.adapter)
  await db.close()
}

main()
`

/**
 * PouchDB in Node.js, which syncs with a server.
 *
 * @param {string[]} names of packages that are installed
 * @param {string} beginning of the program
 * @param {string} options of the database
 */
function embedded (names, beginning, options = '') {
  return {
    name: `npm install ${names.join(' ')}`,
    /** @param {import('../../install/packed-packages').PackedPackages} packages @returns {Promise<string>} what it printed */
    async run (packages) {
      const server = await serve({ storage: 'memory', port: 0, admins: { anna: 'secret' }, log: () => {} })
      try {
        const there = packages.project(names[0])
        await there.install(...names)
        const { status, output } = await there.program('todos.js', `${beginning}\n${PROGRAM.replace('OPTIONS', options).replace('URL', server.url)}`)
        if (status !== 0) throw new Error(output)
        return output.trim()
      } finally {
        await server.close()
      }
    }
  }
}

const plugins = ['pouchdb-adapter-pmem', 'pouchdb-adapter-http', 'pouchdb-replication']

module.exports = {
  preset: embedded(['pouchdb-potoroo'], 'const PouchDB = require(\'pouchdb-potoroo\')'),
  adapter: embedded(['pouchdb-core', ...plugins], `const PouchDB = require('pouchdb-core')${plugins.map(name => `\n  .plugin(require('${name}'))`).join('')}`, ', { adapter: \'pmem\' }')
}
