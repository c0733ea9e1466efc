'use strict'

const assert = require('node:assert')
const { walkFauxton } = require('./fauxton-walk')

const INDEX = 'function (doc) { if (doc.class) { index("default", doc._id + " " + doc.class, {"store": true}); index("weight", doc.weight) } }'

describe('text search in Fauxton', function () {
  this.timeout(600_000)
  const { page, fauxton, client } = walkFauxton()

  const ask = async query => {
    await fauxton().fill('#search-index-preview-form input', query)
    await fauxton().click('#search-index-query-button')
    await fauxton().settled()
  }
  const results = () => fauxton().page.locator('[data-select="search-result-set"]').innerText()

  page('creates a search index, and finds by it', async () => {
    await fauxton().visit('database/animals/new_search')
    await fauxton().sees('New Search Index')
    await fauxton().fill('#new-ddoc', 'finder')
    await fauxton().fill('#search-name', 'all')
    await fauxton().write(INDEX)
    await fauxton().picture('search-new')
    await fauxton().click('button:has-text("Create Document and Build Index")')
    await fauxton().page.locator('#search-index-preview-form').waitFor()
    assert.strictEqual((await client().ask('GET', '/animals/_design/finder')).indexes.all.index, INDEX)
    await ask('mammal')
    await fauxton().sees('panda', '#dashboard-lower-content')
    assert.match(await results(), /lemur/)
    await fauxton().picture('search-results')
  })

  page('finds by ranges, and nothing by what is no query', async () => {
    await fauxton().visit('database/animals/_design/finder/_search/all')
    await ask('weight:[2 TO 200] AND NOT lemur')
    await fauxton().sees('panda', '#dashboard-lower-content')
    assert.doesNotMatch(await results(), /lemur|kookaburra/)
    await ask('unicorn')
    await fauxton().sees('No results found.')
    fauxton().expect(400, /_search\/all/)
    await ask('mammal AND')
    await fauxton().sees('No results found.')
  })

  page('edits an index', async () => {
    await fauxton().visit('database/animals/_design/finder/_search/all/edit')
    assert.strictEqual(await fauxton().read(), INDEX)
    await fauxton().write(INDEX.replace('doc.class,', 'doc.class + " animal",'))
    await fauxton().click('button:has-text("Save Document and Build Index")')
    await fauxton().page.locator('#search-index-preview-form').waitFor()
    await ask('animal')
    await fauxton().sees('kookaburra', '#dashboard-lower-content')
  })

  page('creates a text index of Mango, and finds by it', async () => {
    await fauxton().visit('database/animals/_index')
    await fauxton().sees('_id')
    await fauxton().write(JSON.stringify({ index: {}, name: 'words', type: 'text' }))
    await fauxton().click('button:has-text("Create index")')
    await fauxton().sees('words')
    await fauxton().visit('database/animals/_find')
    await fauxton().write('{ "selector": { "$text": "carnivore" } }')
    await fauxton().click('#create-index-btn')
    await fauxton().sees('kookaburra')
    await fauxton().picture('mango-text')
  })
})
