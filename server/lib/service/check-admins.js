'use strict'

/**
 * Checks the option `admins` before anything is opened: what is no map of names to passwords would make administrators that
 * nobody meant.
 *
 * @param {unknown} admins
 * @throws TypeError
 */
function checkAdmins (admins) {
  if (admins === undefined || admins === null) return
  if (typeof admins !== 'object' || Array.isArray(admins)) throw new TypeError('admins must be an object of names and passwords, { anna: \'secret\' }')
  for (const [name, password] of Object.entries(admins)) {
    if (name === '' || typeof password !== 'string' || password === '') throw new TypeError(`admins: the password of ${JSON.stringify(name)} must be a string of one character or more`)
  }
}

module.exports = { checkAdmins }
