'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { RouteTable } = require('./route-table')

const folder = path.join(__dirname, 'routes')

/**
 * All routes: each file in `routes/` exports an array of them.
 * @type {import('./route-table').Route[]}
 */
const routes = fs.readdirSync(folder).filter(name => name.endsWith('.js')).sort()
  .flatMap(name => require(path.join(folder, name)))

module.exports = { routes, table: new RouteTable(routes) }
