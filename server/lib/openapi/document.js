'use strict'

const { version } = require('../../package.json')
const { SUMMARIES } = require('./summaries')

/** Schemas of the types that routes declare for parameters of the query; see `query.js`. @type {Record<string, object>} */
const TYPES = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  count: { type: 'integer', minimum: 0 },
  json: { description: 'JSON' },
  array: { type: 'array' },
  object: { type: 'object' }
}

/** Types whose value stands in the query as JSON. */
const AS_JSON = new Set(/** @type {unknown[]} */ (['json', 'array', 'object']))

const WHO = {
  anyone: 'Anyone.',
  user: 'Users who have logged in.',
  admin: 'Administrators of the server.',
  metrics: 'Administrators of the server, and users with the role `_metrics`.',
  member: 'Members of the database.',
  'database-admin': 'Administrators of the database.',
  maintainer: 'Administrators of the database.',
  setting: 'Administrators of the server; everybody if `[chttpd] admin_only_all_dbs` is false.'
}

/** Path items have no other methods before OpenAPI 3.2. */
const METHODS = new Set(['GET', 'PUT', 'POST', 'DELETE', 'OPTIONS'])

/**
 * The table of routes as an OpenAPI document. Routes that only refuse are left out.
 *
 * @param {import('../dispatch/route-table').Route[]} routes
 */
function describeRoutes (routes) {
  /** @type {Record<string, any>} */
  const paths = {}
  for (const route of routes) {
    const summary = summaryOf(route)
    if (summary === undefined) continue
    const item = paths[braced(route.path)] ??= { ...parametersOf(route) }
    const operation = describe(route, summary)
    if (METHODS.has(route.method)) item[route.method.toLowerCase()] = operation
    else item['x-additionalOperations'] = { ...item['x-additionalOperations'], [route.method]: operation }
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Potoroo', version, description: "CouchDB's HTTP API, on one node", license: { name: 'Apache 2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: 'http://127.0.0.1:5984' }],
    security: [{ basic: [] }, { cookie: [] }, { bearer: [] }],
    paths,
    components: {
      securitySchemes: {
        basic: { type: 'http', scheme: 'basic' },
        cookie: { type: 'apiKey', in: 'cookie', name: 'AuthSession' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }
      },
      schemas: {
        Error: { type: 'object', required: ['error', 'reason'], properties: { error: { type: 'string' }, reason: { type: 'string' } } }
      }
    }
  }
}

/** @param {import('../dispatch/route-table').Route} route @returns {string | undefined} */
function summaryOf ({ method, path }) { return SUMMARIES[path]?.[method] }

/** @param {import('../dispatch/route-table').Route} route @param {string} summary */
function describe (route, summary) {
  const query = Object.entries(route.query ?? {}).map(([name, type]) => queryParameter(name, type))
  return {
    summary,
    description: WHO[whoOf(route)],
    'x-who': whoOf(route),
    ...(whoOf(route) === 'anyone' && { security: [] }),
    ...(query.length > 0 && { parameters: query }),
    ...(route.body !== undefined && route.body !== 'typed-nothing' && { requestBody: requestBody(route.body) }),
    responses: { default: { description: 'An error: see docs/errors.md', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } } }
  }
}

/** @param {import('../dispatch/route-table').Route} route a function decides by a setting */
function whoOf ({ who }) { return typeof who === 'function' ? 'setting' : who }

/** @param {string} name @param {string | import('../http/query').ParameterType} type */
function queryParameter (name, type) {
  const schema = typeof type === 'string' ? TYPES[type] : { type: 'string' }
  return { name, in: 'query', ...(AS_JSON.has(type) ? { content: { 'application/json': { schema } } } : { schema }) }
}

/** @param {string} kind */
function requestBody (kind) {
  return { required: !kind.includes('optional'), content: { 'application/json': { schema: {} } } }
}

/** `/:db/:ddoc/_view/:view` → `/{db}/{ddoc}/_view/{view}` @param {string} path */
function braced (path) { return path.replace(/:(\w+)\+?/g, '{$1}') }

/** @param {import('../dispatch/route-table').Route} route */
function parametersOf ({ path }) {
  const parameters = [...path.matchAll(/:(\w+)(\+?)/g)].map(([, name, rest]) => ({
    name, in: 'path', required: true, schema: { type: 'string' }, ...(described(name, rest) && { description: described(name, rest) })
  }))
  return parameters.length > 0 ? { parameters } : {}
}

/** @param {string} name @param {string} rest */
function described (name, rest) {
  if (name === 'ddoc') return '`_design/` and a name'
  if (name === 'local') return '`_local/` and a name'
  return rest === '' ? undefined : 'may have slashes'
}

module.exports = { braced, describeRoutes, summaryOf, whoOf, WHO }
