'use strict'

// A process of its own that writes document after document, says which are acknowledged, and is
// killed in the middle of it: `node writes-until-killed.js PACKAGE NAME`.

const PouchDB = require('pouchdb-core')

const [, , adapterPackage, name] = process.argv

async function main () {
  PouchDB.plugin(require(adapterPackage))
  const db = new PouchDB(name)
  for (let n = 0; ; n++) {
    const { id } = await db.put({ _id: `doc-${String(n).padStart(6, '0')}`, n })
    process.send(id)
  }
}

main()
