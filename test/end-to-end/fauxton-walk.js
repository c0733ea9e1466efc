'use strict'

const assert = require('node:assert')
const { DataFolder, admin } = require('./data-folder')
const { FauxtonBrowser } = require('./fauxton-browser')
const { HttpClient } = require('./http-client')

/**
 * A server with some animals, and a browser with Fauxton in which the administrator has logged in,
 * for the tests of a `describe`.
 */
function walkFauxton () {
  let folder, client, fauxton

  before(async () => {
    folder = new DataFolder()
    const server = await folder.start()
    const url = await server.started
    client = new HttpClient(url, admin)
    await createAnimals(client)
    fauxton = await FauxtonBrowser.open(url)
    await fauxton.logIn(admin.name, admin.password)
  })

  beforeEach(() => { fauxton.failures = [] })

  after(async () => {
    await fauxton?.close()
    await folder.remove()
  })

  /** A walk through a page, in which nothing may fail that the walk did not expect. */
  function page (title, walk) {
    it(title, async () => {
      try {
        await walk()
        await fauxton.settled()
      } finally {
        await fauxton.picture(title.replace(/\W+/g, '-'))
      }
      assert.deepStrictEqual(fauxton.failures, [])
    })
  }

  return { page, fauxton: () => fauxton, client: () => client }
}

async function createAnimals (client) {
  await client.ask('PUT', '/animals')
  await client.ask('POST', '/animals/_bulk_docs', {
    docs: [
      { _id: 'panda', class: 'mammal', diet: 'herbivore', weight: 120 },
      { _id: 'kookaburra', class: 'bird', diet: 'carnivore', weight: 1 },
      { _id: 'lemur', class: 'mammal', diet: 'omnivore', weight: 2 },
      { _id: '_design/views', views: { weights: { map: 'function (doc) { if (doc.weight) emit(doc.class, doc.weight) }', reduce: '_sum' } } }
    ]
  })
  await client.ask('POST', '/animals/_bulk_docs', {
    new_edits: false,
    docs: [{ _id: 'zebra', _rev: '1-a', stripes: 'white' }, { _id: 'zebra', _rev: '1-b', stripes: 'black' }]
  })
}

module.exports = { walkFauxton }
