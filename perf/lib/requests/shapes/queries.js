'use strict'

const { DATABASE } = require('../../http/database')
const { find } = require('../../http/find')
const { viewPath } = require('../../http/view')

const views = {
  names: { map: 'function (doc) { emit(doc.name, doc.age) }' },
  ages: { map: 'function (doc) { emit(doc.age, doc.address.zip) }', reduce: '_stats' }
}

async function makeViews (client) {
  await client.request('PUT', `${DATABASE}/_design/perf`, { json: { views }, status: 201 })
  for (const name in views) await client.request('GET', viewPath(name, 'reduce=false&limit=0'))
}

const nameOf = (n, size) => `Person number ${n * 7919 % size}`

/** @type {import('../catalogue').Shape[]} */
module.exports = [
  {
    name: 'view, by key',
    prepare: makeViews,
    async request (client, { size }, n) {
      const answer = await client.request('GET', viewPath('names', `key=${encodeURIComponent(JSON.stringify(nameOf(n, size)))}`))
      if (!answer.includes('"id"')) throw new Error(`Not its row: ${answer}`)
    }
  },
  { name: 'view, all rows', unit: 'row', units: 1000, step: 10, prepare: makeViews, request: client => client.request('GET', viewPath('names', 'limit=1000')) },
  { name: 'view, reduced', step: 50, prepare: makeViews, request: client => client.request('GET', viewPath('ages', 'startkey=20&endkey=80')) },
  {
    name: 'find, by index',
    async prepare (client, { size }) {
      await client.request('POST', `${DATABASE}/_index`, { json: { index: { fields: ['name'] }, ddoc: 'index', name: 'names' } })
      await find(client, { name: nameOf(1, size) }, 1)
    },
    request: (client, { size }, n) => find(client, { name: nameOf(n, size) }, 1)
  }
]
