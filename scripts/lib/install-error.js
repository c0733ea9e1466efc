'use strict'

/** Something could not be installed; the message tells the user what to do about it. */
class InstallError extends Error {
  get name () { return 'InstallError' }
}

module.exports = { InstallError }
