'use strict'

const { RouteTable } = require('./route-table')
const { isGauge, numberOf } = require('../stats/metrics')

/**
 * All routes, as the files in routes/ declare them.
 * @type {import('./route-table').Route[]}
 */
const routes = [
  ...require('../routes/absent'),
  ...require('../routes/active-tasks'),
  ...require('../routes/adaptive-indexes'),
  ...require('../routes/all-docs'),
  ...require('../routes/attachment'),
  ...require('../routes/backup'),
  ...require('../routes/bulk-docs'),
  ...require('../routes/bulk-get'),
  ...require('../routes/changes'),
  ...require('../routes/cluster'),
  ...require('../routes/configuration'),
  ...require('../routes/database'),
  ...require('../routes/database-lists'),
  ...require('../routes/db-updates'),
  ...require('../routes/document'),
  ...require('../routes/find'),
  ...require('../routes/form-upload'),
  ...require('../routes/list'),
  ...require('../routes/local-document'),
  ...require('../routes/node'),
  ...require('../routes/partition'),
  ...require('../routes/purge'),
  ...require('../routes/replicate'),
  ...require('../routes/revs-diff'),
  ...require('../routes/rewrite'),
  ...require('../routes/scheduler'),
  ...require('../routes/scrub'),
  ...require('../routes/server'),
  ...require('../routes/session'),
  ...require('../routes/show'),
  ...require('../routes/shrink'),
  ...require('../routes/statistics'),
  ...require('../routes/text-search'),
  ...require('../routes/update'),
  ...require('../routes/utils'),
  ...require('../routes/view')
]

/**
 * A route with the number that counts its requests, and whether that counts those that go on.
 *
 * @param {import('./route-table').Route} route
 */
function counted (route) {
  return route.metric === undefined ? route : { ...route, counter: numberOf(route.metric), gauge: isGauge(route.metric) }
}

module.exports = { routes, table: new RouteTable(routes.map(counted)) }
