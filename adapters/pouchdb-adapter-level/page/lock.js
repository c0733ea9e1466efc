'use strict'

/**
 * Takes the lock of a database, which one tab or worker has at a time: two stores would not see each other's writes. The
 * browser gives it back when its tab ends, in whatever way.
 *
 * @param {string} name
 * @returns {Promise<() => Promise<void>>} gives it back, and resolves once others may have it
 */
function takeLock (name) {
  const { locks } = navigator
  if (locks === undefined) throw new Error('pouchdb-adapter-level needs Web Locks, which pages have on https and on localhost')
  return new Promise((resolve, reject) => {
    const hold = () => new Promise(resolve => { end = resolve })
    /** @type {(value?: unknown) => void} */
    let end
    const held = locks.request(name, () => {
      const ended = hold()
      resolve(async () => {
        end()
        await held
      })
      return ended
    })
    held.catch(reject)
  })
}

module.exports = { takeLock }
