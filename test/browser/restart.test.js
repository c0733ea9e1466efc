'use strict'

describe('a sync whose server is killed and started again', () => {
  const { assert, browserDatabase, serverDatabase, keepInSync, allPresent, event, urlOf, later } = window.page
  let running

  beforeEach(() => { running = true })

  // Also after a failure: the next test needs the server.
  afterEach(async () => {
    if (!running) await startServer()
  })

  async function killServer () {
    running = false
    await window.page.killServer()
  }

  async function startServer () {
    await window.page.startServer()
    running = true
  }

  const documents = (word, count) => Array.from({ length: count }, (_, index) => ({ _id: `${word}-${String(index).padStart(4, '0')}`, word, index }))
  const ids = docs => docs.map(doc => doc._id)

  /** Notes what a database on the server is asked, as `{ path, query, body }`. */
  function watched (name) {
    const requests = []
    const database = new PouchDB(urlOf(name), {
      fetch (url, options) {
        const { pathname, searchParams } = new URL(url)
        requests.push({ path: pathname.slice(name.length + 1), query: searchParams, body: options?.body })
        return PouchDB.fetch(url, options)
      }
    })
    later(() => database.close())
    return { database, requests }
  }

  /** Fulfils once everything so far has been sent and received, checkpoints included. */
  function settled (sync) {
    return new Promise(resolve => {
      const paused = new Set()
      for (const direction of ['push', 'pull']) {
        sync[direction].on('paused', error => {
          if (!error) paused.add(direction)
          if (paused.size === 2) resolve()
        })
        sync[direction].on('active', () => paused.delete(direction))
      }
    })
  }

  it('loses nothing that either side wrote, while the server was gone too', async () => {
    const name = await serverDatabase()
    const left = browserDatabase()
    const right = browserDatabase()
    const leftSync = keepInSync(left, name, { batch_size: 10 })
    keepInSync(right, name, { batch_size: 10 })

    const early = documents('early', 200)
    await left.bulkDocs(early)
    // In the middle of the first documents on their way:
    await event(leftSync, 'change')
    await killServer()
    const meanwhile = documents('meanwhile', 50)
    await right.bulkDocs(meanwhile)
    await startServer()
    const late = documents('late', 50)
    await left.bulkDocs(late)

    const all = [...early, ...meanwhile, ...late]
    await Promise.all([allPresent(left, ids(all)), allPresent(right, ids(all))])
    const onServer = await (await fetch(`${urlOf(name)}/_all_docs?include_docs=true`)).json()
    assert.deepEqual(onServer.rows.map(row => row.id), ids(all).sort())
    for (const { doc } of onServer.rows) assert.strictEqual(doc._id, `${doc.word}-${String(doc.index).padStart(4, '0')}`)
  })

  it('goes on from its checkpoints and does not begin at 0', async () => {
    const name = await serverDatabase()
    const left = browserDatabase()
    const { database, requests } = watched(name)
    const early = documents('early', 120)
    await left.bulkDocs(early.slice(0, 60))
    await new PouchDB(urlOf(name)).bulkDocs(early.slice(60))

    const sync = left.sync(database, { live: true, retry: true })
    const ended = new Promise(resolve => sync.on('complete', resolve).on('error', resolve))
    later(async () => {
      sync.cancel()
      await ended
    })
    const quiet = settled(sync)
    await Promise.all([quiet, allPresent(left, ids(early)), allPresent(database, ids(early))])
    const reached = (await database.info()).update_seq

    await killServer()
    const late = documents('late', 20)
    await left.bulkDocs(late)
    requests.length = 0
    await startServer()
    await new PouchDB(urlOf(name)).bulkDocs(documents('server', 20))
    await Promise.all([allPresent(database, ids(late)), allPresent(left, ids(documents('server', 20)))])

    const feeds = requests.filter(({ path, query }) => path === '/_changes' && query.get('style') === 'all_docs')
    assert.isNotEmpty(feeds)
    const from = feeds.map(({ query }) => query.get('since'))
    for (const since of from) assert.isAtLeast(parseInt(since, 10), parseInt(reached, 10), `since=${since}`)

    const offered = requests.filter(({ path }) => path === '/_revs_diff').flatMap(({ body }) => Object.keys(JSON.parse(body)))
    assert.includeMembers(offered, ids(late))
    assert.deepEqual(offered.filter(id => id.startsWith('early-')), [])
  })
})
