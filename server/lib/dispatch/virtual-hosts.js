'use strict'

/** @typedef {import('./request').PotorooRequest} PotorooRequest */

/** First segments that are the server's own on every host. */
const GLOBAL = new Set(['_utils', '_uuids', '_session', '_users'])

/**
 * Hosts that stand for a path: `[vhosts]`, `host[:port][/path] = /target`. In a host `*` as the first label is
 * any number of labels and `:name` one, and both may be in the target.
 *
 * @see https://docs.couchdb.org/en/stable/config/http.html#virtual-hosts
 */
class VirtualHosts {
  #config
  #settings

  /** @param {import('../config/config').Config} config */
  constructor (config) {
    this.#config = config
    this.#settings = config.section({ vhosts: readVhosts })
  }

  get isEmpty () { return this.#settings.now.vhosts.length === 0 }

  /**
   * Leads a request to where its host stands for.
   * @param {PotorooRequest} req
   */
  apply (req) {
    const question = req.url.indexOf('?')
    const path = question === -1 ? req.url : req.url.slice(0, question)
    const parts = path.split('/').filter(Boolean)
    const found = this.#find(readHost(this.#hostOf(req)), parts)
    if (found === null || GLOBAL.has(parts[0])) return
    const search = question === -1 ? '' : req.url.slice(question)
    const rest = `/${parts.slice(found.skipped).join('/')}`
    req.headers['x-couchdb-vhost-path'] = rest + search
    req.url = (found.target === '/' ? rest : found.target + rest) + search
  }

  /** @param {PotorooRequest} req */
  #hostOf ({ headers }) {
    const forwarded = headers[this.#config.get('chttpd', 'x_forwarded_host').toLowerCase()]
    return forwarded ?? headers.host ?? headers[':authority'] ?? ''
  }

  /** @param {Host} given @param {string[]} parts */
  #find ({ labels, port }, parts) {
    for (const vhost of this.#settings.now.vhosts) {
      if (vhost.port !== '*' && vhost.port !== port) continue
      const match = matchHost(vhost.labels, labels)
      if (match === null || !vhost.path.every((part, i) => part === parts[i])) continue
      return { target: targetOf(vhost.target, match), skipped: vhost.path.length }
    }
    return null
  }
}

/** @param {import('../config/config').Config} config @returns {Vhost[]} the one to be tried first is first */
function readVhosts (config) {
  const entries = Object.entries(config.texts('vhosts')).filter(([, target]) => target !== '')
  return entries.map(([host, target]) => readVhost(host, target)).sort(compare).reverse()
}

/**
 * @typedef {{ labels: string[], port: number | '*', path: string[], target: string[] }} Vhost
 * @param {string} host
 * @param {string} target
 * @returns {Vhost}
 */
function readVhost (host, target) {
  const slash = host.indexOf('/')
  const name = slash === -1 ? host : host.slice(0, slash)
  const path = slash === -1 ? [] : host.slice(slash).split('/').filter(Boolean)
  return { ...readHost(name === '' ? '*' : name), path, target: target.split('/').filter(Boolean) }
}

/**
 * @typedef {{ labels: string[], port: number | '*' }} Host
 * @param {string} host
 * @returns {Host}
 */
function readHost (host) {
  const match = /^(.*):(\d+)$/.exec(host)
  const name = match === null ? host : match[1]
  return { labels: name.split('.').filter(Boolean), port: match === null ? '*' : Number(match[2]) }
}

/**
 * From the last label on.
 *
 * @param {string[]} pattern
 * @param {string[]} labels
 */
function matchHost (pattern, labels) {
  const names = new Map()
  for (let i = 1; i <= pattern.length; i++) {
    const label = pattern[pattern.length - i]
    if (label === '*' && i === pattern.length) return labels.length < i ? null : { names, rest: labels.slice(0, labels.length - i + 1).reverse() }
    if (i > labels.length) return null
    if (label.startsWith(':')) names.set(label.slice(1), labels.at(-i))
    else if (label !== labels.at(-i)) return null
  }
  return pattern.length === labels.length ? { names, rest: [] } : null
}

/** @param {string[]} target @param {{ names: Map<string, string>, rest: string[] }} given */
function targetOf (target, { names, rest }) {
  const path = []
  for (const part of target) {
    if (part === '*') {
      path.push(...rest)
      break
    }
    path.push(part.startsWith(':') ? names.get(part.slice(1)) ?? 'undefined' : part)
  }
  return `/${path.join('/')}`
}

/**
 * CouchDB's order: names before what stands for any, any port before one, longer paths before shorter.
 *
 * @param {Vhost} a
 * @param {Vhost} b
 */
function compare (a, b) {
  return compareLists(a.labels, b.labels) || comparePorts(a.port, b.port) || compareLists(a.path, b.path)
}

/** @param {string[]} a @param {string[]} b */
function compareLists (a, b) {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = rank(a[i]) - rank(b[i]) || (a[i] < b[i] ? -1 : a[i] > b[i] ? 1 : 0)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** @param {string} part */
function rank (part) { return part === '*' || part.startsWith(':') ? 0 : 1 }

/** @param {number | '*'} a @param {number | '*'} b */
function comparePorts (a, b) { return (a === '*' ? Infinity : a) === (b === '*' ? Infinity : b) ? 0 : a === '*' ? 1 : b === '*' ? -1 : a - b }

module.exports = { VirtualHosts }
