'use strict'

/** Seconds after which a server that is not heard of counts as dead. */
const LIFETIME = 3

/**
 * Settings of a server of a cluster.
 *
 * @param {{ name: string, internal: number, advertised: number }} server internal: the port on which others reach it;
 *   advertised: the port that they are told, which a proxy has
 */
function settingsOf ({ name, internal, advertised }) {
  return {
    couchdb: { uuid: '0123456789abcdef0123456789abcdef' },
    chttpd_auth: { iterations: 10, secret: 'a-secret-of-all-sessions' },
    cluster: { name, listen: `127.0.0.1:${internal}`, address: `127.0.0.1:${advertised}`, secret: 'a-secret-between-servers', lifetime: LIFETIME }
  }
}

module.exports = { LIFETIME, settingsOf }
