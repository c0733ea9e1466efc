'use strict'

const { randomBytes } = require('node:crypto')
const fs = require('node:fs')
const path = require('node:path')
const { holdPath } = require('@potoroo/storage')

/** Behind the final name of what another process made, and held. One with 8 digits could not be held, and may be anybody's. */
const HELD = /^[0-9a-f]{10}\.(draft|restoring|salvaging)$/

/**
 * A file or folder that gets its name when it is whole. Its process holds it until then, so that others can tell
 * what a killed one has left.
 *
 * @param {string} final
 * @param {'draft' | 'restoring' | 'salvaging'} kind
 * @param {(path: string) => void} make makes it, empty
 * @returns {{ path: string, release: () => void }} to be released when it has been renamed or removed
 */
function makeDraft (final, kind, make) {
  const made = `${final}.${randomBytes(4).toString('hex')}.new`
  make(made)
  const release = holdPath(made) ?? undefined
  const draft = `${final}.${randomBytes(release === undefined ? 4 : 5).toString('hex')}.${kind}`
  try {
    // A draft of that name is never seen before it is held.
    fs.renameSync(made, draft)
  } catch (error) {
    fs.rmSync(made, { recursive: true, force: true })
    release?.()
    throw error
  }
  return { path: draft, release: () => release?.() }
}

/**
 * Removes drafts that killed processes have left. A draft that cannot be removed is in nobody's way.
 *
 * @param {string} final their name when they would have been whole
 */
function removeDrafts (final) {
  const folder = path.dirname(path.resolve(final))
  const prefix = `${path.basename(final)}.`
  for (const name of namesIn(folder)) {
    if (name.startsWith(prefix) && HELD.test(name.slice(prefix.length))) removeLeft(path.join(folder, name))
  }
}

/** @param {string} folder */
function namesIn (folder) {
  try {
    return fs.readdirSync(folder)
  } catch {
    return []
  }
}

/** @param {string} draft */
function removeLeft (draft) {
  const release = holdPath(draft)
  if (release === null) return
  try {
    fs.rmSync(draft, { recursive: true, force: true })
  } catch {
    // Another user's, for one.
  } finally {
    release()
  }
}

module.exports = { makeDraft, removeDrafts }
