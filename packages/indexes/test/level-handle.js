'use strict'

/** The level as another thread has it, which counts the snapshots that it has open. */
function handleOf (level) {
  const opened = new Set()
  const snapshot = () => {
    const taken = level.snapshot()
    const { close } = taken
    opened.add(taken)
    taken.close = () => {
      opened.delete(taken)
      return close.call(taken)
    }
    return taken
  }
  const handle = new Proxy(level, {
    get (target, name) {
      if (name === 'snapshot') return snapshot
      return typeof target[name] === 'function' ? target[name].bind(target) : target[name]
    }
  })
  return { handle, opened }
}

module.exports = { handleOf }
