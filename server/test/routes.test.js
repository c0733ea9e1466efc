'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const path = require('node:path')
const { describeRoutes } = require('../lib/commands/routes')
const { routes } = require('../lib/dispatch/routes')

const FILE = path.join(__dirname, 'routes.txt')

describe('the table of routes', () => {
  it('is the one that was read and agreed to: routes.txt', () => {
    assert.equal(describeRoutes(routes), fs.readFileSync(FILE, 'utf8'), 'after reading the difference: node server/bin/potoroo.js routes > server/test/routes.txt')
  })

  it('takes one line for methods that agree', () => {
    const handler = () => {}
    const route = /** @type {const} */ ({ path: '/:db/x', who: 'member', handler })
    const lines = describeRoutes([{ ...route, method: 'GET' }, { ...route, method: 'POST', reads: true }, { ...route, method: 'PUT' }]).split('\n').slice(1, -1)
    assert.deepEqual(lines.map(line => line.split(/\s+/)[0]), ['GET,POST', 'PUT'])
  })

  it('closes databases of users, of replications and with access by document, where a route says nothing of them', () => {
    const line = describeRoutes([{ method: 'GET', path: '/:db/x', who: 'member', handler () {} }]).split('\n')[1]
    assert.deepEqual(line.split(/\s+/), ['GET', '/:db/x', 'member', 'database-admin', 'database-admin', 'database-admin', 'reads'])
  })
})
