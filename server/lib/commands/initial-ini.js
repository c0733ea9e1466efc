'use strict'

/**
 * @typedef {object} Answers
 * @property {string} [host]
 * @property {string} [port]
 * @property {string} [log]
 * @property {string} [key] a file
 * @property {{ name: string, hash: string }} [admin]
 */

/**
 * The text of a first potoroo.ini: what was said, and the settings that are changed most, as comments.
 *
 * @param {Answers} answers
 * @returns {string}
 */
function initialIni ({ host, port, log = 'stderr', key, admin }) {
  return `; The configuration of a Potoroo server. All settings: docs/reference/configuration.md.
; A line that begins with a semicolon is a comment; after a change, start the server again.
; The server writes here too, when a setting is changed over HTTP, and keeps comments.

[chttpd]
; 127.0.0.1 is for this machine alone; any is for everybody who can reach it.
${line('bind_address', host, '127.0.0.1')}
${line('port', port, '5984')}
; Who is believed about the client whose request it passes on, such as a proxy on this machine.
;trusted_proxies = loopback
; true: nobody without a name gets anything but /_up.
;require_valid_user = true

[ssl]
; HTTPS and HTTP/2, beside plain HTTP.
;enable = true
;port = 6984
;cert_file = /etc/potoroo/cert.pem
;key_file = /etc/potoroo/key.pem

[cors]
; Pages of this machine may use the server; name the origins of others.
;origins = loopback, https://app.example.com

[log]
; stderr, file or journald.
${line('writer', log, '')}
${log === 'file' ? 'file = potoroo.log' : ';file = potoroo.log'}
; notice logs each request.
;level = notice

[storage]
; The databases are encrypted with the key in this file. It cannot be set later.
${line('key_file', key, '', '/etc/potoroo.key')}

[admins]
; Who may do everything. A password in plain text is hashed at the next start.
${admin === undefined ? ';anna = a password' : `${admin.name} = ${admin.hash}`}
`
}

/** @param {string} key @param {string | undefined} value @param {string} standard @param {string} [example] of a comment */
function line (key, value, standard, example = standard) {
  return value === undefined || value === standard ? `;${key} = ${example}` : `${key} = ${value}`
}

module.exports = { initialIni }
