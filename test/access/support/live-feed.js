'use strict'

/** The paths of the feeds by their kinds. @type {Record<string, string>} */
const PATHS = {
  continuous: '_changes?feed=continuous&include_docs=true&attachments=true&conflicts=true&style=all_docs&heartbeat=10000',
  eventsource: '_changes?feed=eventsource&include_docs=true&attachments=true&conflicts=true&style=all_docs&heartbeat=10000',
  'live query': `_find?feed=continuous&heartbeat=10000&request=${encodeURIComponent('{"selector":{}}')}`
}

/** A feed that a person has open while all goes on. */
class LiveFeed {
  text = ''
  /** A live query ends where its user's roles change. */
  isOver = false
  #abort = new AbortController()

  /** @param {import('./world').World} world @param {import('./world').User} person @param {string} kind */
  static async open (world, person, kind) {
    const feed = new LiveFeed()
    feed.person = person
    feed.kind = kind
    const response = await fetch(`${world.server.url}/${world.databases.whole}/${PATHS[kind]}`, {
      signal: feed.#abort.signal,
      headers: { Authorization: `Basic ${Buffer.from(`${person.name}:${person.password}`).toString('base64')}` }
    })
    if (response.status !== 200) throw new Error(`a feed is answered ${response.status} ${await response.text()}`)
    feed.#read(response).catch(() => {}).finally(() => { feed.isOver = true })
    return feed
  }

  /** @param {Response} response */
  async #read (response) {
    for await (const part of response.body) this.text += Buffer.from(part).toString('latin1')
  }

  /** Returns what came since the last time. */
  take () {
    const { text } = this
    this.text = ''
    return text
  }

  close () { this.#abort.abort() }
}

module.exports = { LiveFeed }
