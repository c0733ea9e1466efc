'use strict'

const fs = require('node:fs')
const path = require('node:path')
const { RouteTable } = require('./route-table')
const { isGauge, metricOf, numberOf } = require('./stats/metrics')

const folder = path.join(__dirname, 'routes')

/**
 * All routes: each file in `routes/` exports an array of them.
 * @type {import('./route-table').Route[]}
 */
const routes = fs.readdirSync(folder).filter(name => name.endsWith('.js')).sort()
  .flatMap(name => require(path.join(folder, name))).map(withMetric)

function withMetric (route) {
  const name = metricOf(route)
  return name === undefined ? route : { ...route, metric: numberOf(name), gauge: isGauge(name) }
}

module.exports = { routes, table: new RouteTable(routes) }
