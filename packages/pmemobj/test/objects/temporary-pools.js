'use strict'

const { Pool } = require('../..')
const { temporaryFolder } = require('../temporary-folder')

/**
 * Pools for the tests of one `describe`, closed after each; their files are removed after all.
 *
 * @returns {{ create: (root?: unknown, options?: object) => any, open: (location: string) => any, reopen: (pool: any) => any }}
 */
function temporaryPools () {
  const folder = temporaryFolder()
  let open = []
  const keep = pool => {
    open.push(pool)
    return pool
  }
  afterEach(() => {
    for (const pool of open) pool.close()
    open = []
  })
  return {
    /** A new pool, with this root. */
    create (root, options) {
      const pool = keep(Pool.create(folder.next(), options))
      if (root !== undefined) pool.root = root
      return pool
    },
    open: location => keep(Pool.open(location, { createIfMissing: false })),
    /** The same pool, as a program sees it that starts later. */
    reopen (pool) {
      pool.close()
      return keep(Pool.open(pool.path, { createIfMissing: false }))
    }
  }
}

module.exports = { temporaryPools }
