'use strict'

describe('changes of a server\'s database, as a page follows them', () => {
  const { assert, serverDatabase, later, urlOf } = window.page

  it('come live through PouchDB', async () => {
    let begin
    const begun = new Promise(resolve => { begin = resolve })
    const database = new PouchDB(urlOf(await serverDatabase()), {
      fetch (url, options) {
        if (new URL(url).pathname.endsWith('/_changes')) begin()
        return PouchDB.fetch(url, options)
      }
    })
    const seen = []
    const feed = database.changes({ live: true, include_docs: true, since: 'now' })
    const three = new Promise((resolve, reject) => {
      feed.on('error', reject).on('change', change => {
        seen.push(change.doc)
        if (seen.length === 3) resolve()
      })
    })
    const complete = new Promise(resolve => feed.on('complete', resolve))
    // It asks first what `now` is: what was written before the answer would not be seen.
    await begun
    for (const _id of ['a', 'b', 'c']) await database.put({ _id, letter: _id })
    await three
    assert.deepEqual(seen.map(doc => doc.letter), ['a', 'b', 'c'])
    feed.cancel()
    await complete
  })

  it('come as lines of a continuous feed', async () => {
    const name = await serverDatabase()
    const database = new PouchDB(urlOf(name))
    const before = await database.put({ _id: 'before' })
    const aborter = new AbortController()
    later(() => aborter.abort())
    const response = await fetch(`${urlOf(name)}/_changes?feed=continuous&include_docs=true`, { signal: aborter.signal })
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const nextLine = async () => {
      while (!text.includes('\n')) {
        const { value, done } = await reader.read()
        assert.isFalse(done, 'the feed ended')
        text += value
      }
      const [line] = text.split('\n', 1)
      text = text.slice(line.length + 1)
      return line === '' ? nextLine() : JSON.parse(line)
    }
    assert.strictEqual((await nextLine()).doc._rev, before.rev)
    for (const _id of ['one', 'two']) {
      const { rev } = await database.put({ _id })
      const change = await nextLine()
      assert.strictEqual(change.id, _id)
      assert.deepEqual(change.changes, [{ rev }])
      assert.strictEqual(change.doc._rev, rev)
    }
  })

  it('come as events of an EventSource', async () => {
    const name = await serverDatabase()
    const source = new EventSource(`${urlOf(name)}/_changes?feed=eventsource`)
    later(() => source.close())
    const message = new Promise((resolve, reject) => {
      source.onmessage = resolve
      source.onerror = () => reject(new Error('the EventSource failed'))
    })
    const { rev } = await new PouchDB(urlOf(name)).put({ _id: 'evented' })
    const change = JSON.parse((await message).data)
    assert.strictEqual(change.id, 'evented')
    assert.deepEqual(change.changes, [{ rev }])
  })
})
