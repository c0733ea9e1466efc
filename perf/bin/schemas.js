#!/usr/bin/env node
'use strict'

// node perf/bin/schemas.js prints what a schema costs a document of 200 bytes: the check alone, and as the difference between two
// databases that are written by turns over HTTP, one of them with the schema. CPU time.

const fs = require('node:fs/promises')
const os = require('node:os')
const path = require('node:path')
const { compileRule } = require('@potoroo/indexes')
const { serve } = require('potoroo')
const { median } = require('../lib/report/statistics')
const { readOptions } = require('../lib/run/command-line')

// It has no options.
readOptions({})

const ROUNDS = 15
const DOCUMENTS = 1000

/** Microseconds. */
const GOAL = 5

const rule = {
  schema: {
    type: 'object',
    properties: {
      type: { const: 'person' },
      name: { type: 'string', minLength: 1, maxLength: 80 },
      email: { type: 'string', pattern: '^[^@ ]+@[^@ ]+$' },
      age: { type: 'integer', minimum: 0, maximum: 150 },
      tags: { type: 'array', items: { type: 'string' }, maxItems: 20, uniqueItems: true },
      address: {
        type: 'object',
        properties: { street: { type: 'string' }, zip: { type: 'string', pattern: '^[0-9]{5}$' }, city: { enum: ['Rome', 'Berlin', 'Paris'] } },
        required: ['street', 'zip']
      }
    },
    required: ['type', 'name', 'email', 'age'],
    additionalProperties: false
  },
  selector: { type: 'person' }
}

const document = number => ({
  type: 'person',
  name: `Ada Lovelace ${number}`,
  email: `ada${number}@example.com`,
  age: number % 100,
  tags: ['math', 'poetry', 'engine'],
  address: { street: '12 St James Square', zip: '10115', city: 'Berlin' }
})

/** Microseconds of CPU time that each of the documents took. */
async function cost (work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / DOCUMENTS
}

async function alone () {
  const schema = compileRule({ _id: '_design/person', validate_schema: rule })
  const docs = Array.from({ length: DOCUMENTS }, (_, i) => JSON.parse(JSON.stringify({ _id: `${i}`, ...document(i) })))
  const costs = []
  for (let round = 0; round < ROUNDS; round++) {
    costs.push(await cost(() => {
      for (let i = 0; i < 10; i++) for (const doc of docs) if (schema.check(doc, 200) !== null) throw new Error('It does not fit')
    }) / 10)
  }
  return median(costs)
}

async function overHttp () {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'potoroo-schemas-'))
  const server = await serve({ port: 0, path: folder, storage: 'memory', allowVolatile: true, admins: { admin: 'admin' } })
  const headers = { Authorization: `Basic ${Buffer.from('admin:admin').toString('base64')}`, 'Content-Type': 'application/json' }
  const ask = async (method, url, body) => {
    const answer = await fetch(server.url + url, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) })
    const text = await answer.text()
    if (!answer.ok || text.includes('"error"')) throw new Error(text.slice(0, 1000))
  }
  try {
    for (const name of ['plain', 'checked']) await ask('PUT', `/${name}`)
    await ask('PUT', '/checked/_schema/person', rule)
    const costs = { plain: [], checked: [] }
    for (let round = 0; round < 2 * ROUNDS; round++) {
      const docs = Array.from({ length: DOCUMENTS }, (_, i) => ({ _id: `${round}-${i}`, ...document(i) }))
      for (const name of round % 2 === 0 ? ['plain', 'checked'] : ['checked', 'plain']) costs[name].push(await cost(() => ask('POST', `/${name}/_bulk_docs`, { docs })))
    }
    const [plain, checked] = [costs.plain, costs.checked].map(list => median(list.slice(ROUNDS)))
    return { plain, checked }
  } finally {
    await server.close()
    await fs.rm(folder, { recursive: true, force: true })
  }
}

async function main () {
  const size = JSON.stringify(document(1)).length
  const check = await alone()
  const { plain, checked } = await overHttp()
  console.log(`a document of ${size} bytes, CPU time`)
  console.log(`the check alone                 ${check.toFixed(2)} µs`)
  console.log(`_bulk_docs without a schema     ${plain.toFixed(2)} µs, with its client`)
  console.log(`_bulk_docs with a schema        ${checked.toFixed(2)} µs`)
  console.log(`the difference                  ${(checked - plain).toFixed(2)} µs: ${checked - plain <= GOAL ? 'within' : 'beyond'} the goal of ${GOAL} µs`)
}

main().catch(error => {
  console.error(error)
  process.exitCode = 1
})
