'use strict'

/** Methods of pouchdb-core's contract that the leader answers as they are. */
const CONTRACT = ['_id', '_info', '_get', '_getAttachment', '_allDocs', '_getRevisionTree', '_doCompaction', '_compact', '_getLocal', '_putLocal', '_removeLocal', '_purge']

/** Public methods that pouchdb-core has not. */
const OWN = ['transact', 'keepHistory', 'history', 'restore']

/**
 * Makes a PouchDB instance ask the tab that leads, for all that its adapter does.
 *
 * @param {any} db
 * @param {import('./leader-election').LeaderElection} election
 * @param {{ id: string, options: Record<string, any> }} client
 */
function followLeader (db, election, client) {
  const ask = (/** @type {string} */ method, /** @type {any[]} */ args) => election.ask(client, method, args.map(plain))
  db._remote = false
  for (const method of CONTRACT) {
    db[method] = (/** @type {any[]} */ ...args) => {
      const callback = args.pop()
      answer(ask(method, args), callback)
    }
  }
  db._bulkDocs = (/** @type {any} */ request, /** @type {any} */ options, /** @type {any} */ callback) => {
    // An edit that is asked for twice has to be of one document.
    for (const doc of request.docs) doc._id ??= crypto.randomUUID().replaceAll('-', '')
    answer(ask('_bulkDocs', [request, options]), callback)
  }
  db._changes = (/** @type {any} */ options) => changes(election, client, options)
  db._query = (/** @type {any} */ view, /** @type {any} */ options, /** @type {any} */ callback) => answer(ask('_query', [viewText(view, options), options]), callback)
  db._viewCleanup = (/** @type {any} */ callback) => answer(ask('_viewCleanup', []), callback)
  db._customFindAbstractMapper = { query: (/** @type {string} */ index, /** @type {any} */ options) => ask('queryIndex', [index, options]), viewCleanup: () => ask('viewCleanup', []) }
  for (const method of OWN) {
    db[method] = (/** @type {any[]} */ ...args) => {
      const callback = typeof args.at(-1) === 'function' ? args.pop() : undefined
      const asked = ask(method, args)
      if (callback !== undefined) answer(asked, callback)
      return asked
    }
  }
}

/** @param {Promise<any>} promise @param {(error: any, result?: any) => void} callback */
function answer (promise, callback) {
  promise.then(result => callback(null, result), callback)
}

/** Options without functions, which no other tab can call. @param {any} value */
function plain (value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.values(value).some(isFunction) ? Object.fromEntries(Object.entries(value).filter(([, member]) => !isFunction(member))) : value
}

/** @param {unknown} value */
function isFunction (value) { return typeof value === 'function' }

/** A view as text: functions of a view are read as text anyway. @param {any} view @param {any} options */
function viewText (view, options) {
  if (typeof view === 'string') return view
  const { map, reduce } = isFunction(view) ? { map: view, reduce: undefined } : view
  const reducer = isFunction(options.reduce) ? options.reduce : reduce
  return { map: String(map), reduce: isFunction(reducer) ? String(reducer) : reducer }
}

/**
 * A feed of the leader's. Filters run here.
 *
 * @param {import('./leader-election').LeaderElection} election
 * @param {{ id: string, options: Record<string, any> }} client
 * @param {any} options
 */
function changes (election, client, options) {
  const { filter, onChange, complete, limit, include_docs: includeDocs, return_docs: returnDocs, continuous, descending } = options
  const isFiltered = isFunction(filter)
  const asked = plain({ ...options, ...(isFiltered && { include_docs: true, limit: undefined }) })
  /** @type {any[]} */
  const results = []
  let left = limit > 0 ? limit : Infinity
  let last = Infinity
  const feed = election.ask(client, '_changes', [asked], row => {
    // Backwards it may begin again, with another leader.
    if (descending && row.seq >= last) return
    last = row.seq
    if (left === 0 || (isFiltered && !filter(row.doc, { query: options.query_params }))) return
    left--
    const { doc, ...rest } = row
    const shown = includeDocs ? row : rest
    if (returnDocs) results.push(shown)
    onChange(shown)
  })
  feed.then(({ last_seq: lastSeq } = {}) => {
    if (!continuous) complete(null, { results, last_seq: limit > 0 && left === 0 && isFiltered ? results.at(-1)?.seq ?? lastSeq : lastSeq })
  }, complete)
  return { cancel: feed.cancel }
}

module.exports = { followLeader }
