'use strict'

// Makes databases and destroys every third one, says which are done, and is killed meanwhile:
// `node creates-until-killed.js FOLDER`.

const path = require('node:path')
const PouchDB = require('pouchdb-core')

PouchDB.plugin(require('..'))

async function main (folder) {
  for (let n = 0; ; n++) {
    const name = path.join(folder, `${n}`)
    const db = new PouchDB(name, { adapter: 'pmem' })
    await db.put({ _id: 'doc', n })
    process.send({ made: n })
    if (n % 3 === 0) {
      process.send({ begun: n })
      await db.destroy()
      process.send({ destroyed: n })
    }
  }
}

main(process.argv[2])
