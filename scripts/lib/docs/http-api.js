'use strict'

const { routes } = require('../../../server/lib/dispatch/routes')
const { describeRoutes, summaryOf, whoOf, WHO } = require('../../../server/lib/openapi/document')
const { REFUSALS } = require('../../../server/lib/openapi/summaries')

const HEAD = `# HTTP API

<!-- Made by \`npm run docs\` from the server's table of routes. Edit server/lib/routes or server/lib/openapi, not this page. -->

All routes of the server. [openapi.json](openapi.json) is the same for programs; \`potoroo routes --openapi\`
prints it. Requests and answers are CouchDB's: [its documentation](https://docs.couchdb.org/en/stable/api/)
describes bodies, parameters and headers, and [differences](../differences.md) says where Potoroo answers
otherwise. An error is \`{"error", "reason"}\`: [errors](../errors.md).

- A path's \`{ddoc}\` is \`_design/\` and a name, \`{local}\` is \`_local/\` and a name.
- \`HEAD\` answers as \`GET\` does, without a body.
- A parameter in the table is one of the query. Other parameters are ignored.

`

/** @type {[string, (path: string) => boolean][]} the first that a path belongs to has it */
const GROUPS = [
  ['The server', path => !path.startsWith('/:db') && !path.startsWith('/_node') && !path.startsWith('/_reshard') && !path.startsWith('/_scheduler')],
  ['The node and its settings', path => path.startsWith('/_node') || path.startsWith('/_reshard')],
  ['Replications', path => path.startsWith('/_scheduler')],
  ['Partitions', path => path.startsWith('/:db/_partition')],
  ['Design documents', path => path.startsWith('/:db/:ddoc')],
  ['Documents, attachments, local documents', path => /^\/:db\/:(doc|local)/.test(path)],
  ['Databases', path => path.startsWith('/:db')]
]

/** @returns {string} docs/reference/http-api.md */
function renderHttpApi () {
  const who = Object.entries(WHO).map(([name, text]) => `| \`${name}\` | ${text} |`)
  const described = routes.filter(route => summaryOf(route) !== undefined)
  const left = new Set(described)
  const groups = GROUPS.map(([title, belongs]) => {
    const rows = [...left].filter(({ path }) => belongs(path))
    for (const row of rows) left.delete(row)
    return `## ${title}\n\n${tableOf(rows)}`
  })
  const refusals = [...REFUSALS].map(path => `- \`${braced(path)}\``).sort().join('\n')
  return [
    `${HEAD}## Who may\n\n| who | may use it |\n| --- | --- |\n${who.join('\n')}`, ...groups,
    `## Paths that refuse\n\nThese paths answer an error to everybody who may ask, in CouchDB's words:\n\n${refusals}\n`
  ].join('\n\n')
}

/**
 * Rows of one path that say the same, such as those of functions, are one.
 *
 * @param {typeof routes} rows
 */
function tableOf (rows) {
  const merged = new Map()
  for (const route of rows) {
    const line = [`\`${braced(route.path)}\``, whoOf(route), summaryOf(route), Object.keys(route.query ?? {}).map(name => `\`${name}\``).join(', ')].join(' | ')
    merged.set(line, [...merged.get(line) ?? [], route.method])
  }
  const sorted = [...merged].sort(([a], [b]) => a < b ? -1 : 1)
  return ['| method | path | who | does | parameters |', '| --- | --- | --- | --- | --- |', ...sorted.map(([line, methods]) => `| ${methods.join(', ')} | ${line} |`)].join('\n')
}

/**
 * `/:db/:doc/:attachment+` → `/{db}/{doc}/{attachment…}`
 *
 * @param {string} path
 */
function braced (path) { return path.replace(/:(\w+)(\+?)/g, (/** @type {string} */ _, /** @type {string} */ name, /** @type {string} */ rest) => `{${name}${rest && '…'}}`) }

/** @returns {string} docs/reference/openapi.json */
function renderOpenApi () { return `${JSON.stringify(describeRoutes(routes), null, 1)}\n` }

module.exports = { renderHttpApi, renderOpenApi }
