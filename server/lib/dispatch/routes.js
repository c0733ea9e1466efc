'use strict'

const { RouteTable } = require('./route-table')
const { isGauge, numberOf } = require('../stats/metrics')

/**
 * All routes, as the files in routes/ declare them.
 * @type {import('./route-table').Route[]}
 */
const routes = [
  ...require('../routes/database/adaptive-indexes'),
  ...require('../routes/database/all-docs'),
  ...require('../routes/database/bulk-docs'),
  ...require('../routes/database/bulk-get'),
  ...require('../routes/database/changes'),
  ...require('../routes/database/database'),
  ...require('../routes/database/find'),
  ...require('../routes/database/history').routes,
  ...require('../routes/database/partition'),
  ...require('../routes/database/purge'),
  ...require('../routes/database/query'),
  ...require('../routes/database/revs-diff'),
  ...require('../routes/database/schema'),
  ...require('../routes/database/shrink'),
  ...require('../routes/database/transact'),
  ...require('../routes/design/list'),
  ...require('../routes/design/rewrite'),
  ...require('../routes/design/rpc'),
  ...require('../routes/design/show'),
  ...require('../routes/design/search'),
  ...require('../routes/design/update'),
  ...require('../routes/design/view'),
  ...require('../routes/document/attachment'),
  ...require('../routes/document/document'),
  ...require('../routes/document/form-upload'),
  ...require('../routes/document/local-document'),
  ...require('../routes/server/active-tasks'),
  ...require('../routes/server/analyze'),
  ...require('../routes/server/backup'),
  ...require('../routes/server/cluster'),
  ...require('../routes/server/configuration'),
  ...require('../routes/server/database-lists'),
  ...require('../routes/server/db-updates'),
  ...require('../routes/server/node'),
  ...require('../routes/server/replicate'),
  ...require('../routes/server/scheduler'),
  ...require('../routes/server/scrub'),
  ...require('../routes/server/server'),
  ...require('../routes/server/session'),
  ...require('../routes/server/statistics'),
  ...require('../routes/server/utils')
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
