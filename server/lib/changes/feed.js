'use strict'

/** Sends the changes until now. */
async function sendUntilNow (database, options, writer) {
  const changes = database.changes(options)
  for await (const page of changes) {
    await writer.write(page)
    if (writer.closed) break
  }
  return changes
}

/**
 * Sends changes as they happen, until the client hangs up, the limit is reached, the database
 * or the server closes, or, without heartbeats, until nothing happened for long enough.
 *
 * @param {any} req
 * @param {import('node:http').ServerResponse} res
 * @param {import('./format').ChangesWriter} writer
 * @param {{ options: import('@potoroo/document-store').ChangesOptions, heartbeat: boolean, silence: number }} request
 * @param {boolean} once whether the first changes are also the last
 */
async function sendLive (req, res, writer, { options, heartbeat, silence }, once) {
  const last = writer.count + (options.limit ?? Infinity)
  const ending = new AbortController()
  const end = () => ending.abort()
  const { closing } = req.service
  const timer = setTimeout(() => {
    if (!heartbeat) return end()
    writer.heartbeat()
    timer.refresh()
  }, silence)
  res.on('close', end)
  closing.addEventListener('abort', end)
  if (res.destroyed || closing.aborted) end()
  try {
    const changes = req.database.follow({ ...options, signal: ending.signal })
    await writer.greet()
    for await (const page of changes) {
      await writer.write(page)
      await writer.flush()
      if (page.length > 0) timer.refresh()
      if ((once && page.length > 0) || writer.count >= last) break
    }
    return changes
  } finally {
    clearTimeout(timer)
    res.off('close', end)
    closing.removeEventListener('abort', end)
  }
}

/** One answer as soon as there is a change, with all that there are. */
async function sendLongpoll (req, res, writer, request) {
  const { options } = request
  const past = await sendUntilNow(req.database, options, writer)
  if (writer.count > 0 || options.limit === 0) return past
  return sendLive(req, res, writer, { ...request, options: { ...options, since: past.lastSeq } }, true)
}

/** First what there is, then what comes. */
async function sendContinuous (req, res, writer, request) {
  const { options } = request
  const past = await sendUntilNow(req.database, options, writer)
  if (writer.closed || writer.count >= (options.limit ?? Infinity)) return past
  return sendLive(req, res, writer, { ...request, options: { ...options, since: past.lastSeq, limit: options.limit && options.limit - writer.count } }, false)
}

/**
 * Sends a feed from beginning to end.
 * @returns {Promise<import('@potoroo/document-store').Changes>} what was sent, for its end
 */
async function sendFeed (req, res, writer, request) {
  const { feed, options } = request
  if (feed === 'normal' || options.descending) return sendUntilNow(req.database, options, writer)
  return feed === 'longpoll' ? sendLongpoll(req, res, writer, request) : sendContinuous(req, res, writer, request)
}

module.exports = { sendFeed }
