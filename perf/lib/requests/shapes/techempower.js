'use strict'

const { DATABASE, bulkDocs } = require('../../http/database')
const { documentId } = require('../../data')

const FORTUNES = {
  views: { all: { map: 'function (doc) { if (doc.fortune) emit(doc.fortune, null) }' } },
  lists: {
    html: `function (head, req) {
      start({ headers: { 'Content-Type': 'text/html; charset=utf-8' } })
      send('<!DOCTYPE html><html><head><title>Fortunes</title></head><body><table><tr><th>id</th><th>message</th></tr>')
      var row
      while (row = getRow()) send('<tr><td>' + row.id + '</td><td>' + row.key.replace(/&/g, '&amp;').replace(/</g, '&lt;') + '</td></tr>')
      return '</table></body></html>'
    }`
  }
}

const ids = (n, size) => Array.from({ length: 20 }, (_, i) => documentId((n * 20 + i) * 7919 % size))

/**
 * The shapes of TechEmpower's benchmarks, on documents.
 * @see https://github.com/TechEmpower/FrameworkBenchmarks/wiki/Project-Information-Framework-Tests-Overview
 * @type {import('../catalogue').Shape[]}
 */
module.exports = [
  {
    name: 'TechEmpower: plaintext',
    prepare: client => client.request('PUT', `${DATABASE}/plain/text`, { bytes: Buffer.from('Hello, World!'), headers: { 'content-type': 'text/plain' }, status: 201 }),
    request: client => client.request('GET', `${DATABASE}/plain/text`)
  },
  {
    name: 'TechEmpower: JSON',
    prepare: client => client.request('PUT', `${DATABASE}/json`, { json: { message: 'Hello, World!' }, status: 201 }),
    request: client => client.request('GET', `${DATABASE}/json`)
  },
  { name: 'TechEmpower: one query', request: (client, { size }, n) => client.request('GET', `${DATABASE}/${ids(n, size)[0]}`) },
  { name: 'TechEmpower: 20 queries', step: 50, request: (client, { size }, n) => client.request('POST', `${DATABASE}/_all_docs?include_docs=true`, { json: { keys: ids(n, size) } }) },
  {
    name: 'TechEmpower: fortunes, by a list',
    step: 50,
    async prepare (client) {
      for (let i = 0; i < 12; i++) await client.request('PUT', `${DATABASE}/fortune-${i}`, { json: { fortune: `A computer program does what you tell it to do, not what you want it to do. <${i}>` }, status: 201 })
      await client.request('PUT', `${DATABASE}/_design/fortunes`, { json: FORTUNES, status: 201 })
      await client.request('GET', `${DATABASE}/_design/fortunes/_view/all`)
    },
    async request (client) {
      const page = await client.request('GET', `${DATABASE}/_design/fortunes/_list/html/all`)
      if (!page.includes('&lt;11>')) throw new Error(`Not the fortunes: ${page}`)
    }
  },
  {
    name: 'TechEmpower: 20 updates',
    step: 50,
    // The documents are its own: no other connection updates them.
    prepare: async (client, { size }) => { await bulkDocs(client, size, 1000) },
    async request (client, { size }, n) {
      const keys = Array.from({ length: 20 }, (_, i) => documentId(size + n % 50 * 20 + i))
      const { rows } = JSON.parse(await client.request('POST', `${DATABASE}/_all_docs?include_docs=true`, { json: { keys } }))
      const docs = rows.map(({ doc }) => ({ ...doc, age: n }))
      await client.request('POST', `${DATABASE}/_bulk_docs`, { json: { docs }, status: 201 })
    }
  }
]
