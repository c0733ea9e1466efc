'use strict'

const { isIP, isIPv6 } = require('node:net')
const { isServerAdmin } = require('../auth/access')
const { AddressRanges, entriesOf } = require('../config/address-ranges')
const { HostList, plainName } = require('./host-list')

/** @typedef {import('node:net').AddressInfo} AddressInfo */
/** @typedef {import('../config/config').Config} Config */

const LOOPBACK = ['127.0.0.0/8', '::1']

/**
 * Addresses that hardly anybody replicates with, and that tell secrets to any process of this machine: itself, its link,
 * and what clouds tell their machines (Amazon, Google, Azure, Alibaba, Oracle).
 */
const SPECIAL = [
  ...LOOPBACK, '0.0.0.0/8', '::', '169.254.0.0/16', 'fe80::/10',
  'fd00:ec2::/32', 'fd20:ce::/32', '168.63.129.16', '100.100.100.200', '192.0.0.192'
]

/** The same by name, for proxies that look names up. */
const SPECIAL_NAMES = ['localhost', '*.localhost', 'metadata', 'metadata.google.internal', 'instance-data', 'instance-data.ec2.internal']

/** Ways to write an address of IPv4 in IPv6: how long the prefix is, and at which byte the address stands. */
const EMBEDDED = [
  { range: new AddressRanges(['::/96', '::ffff:0:0/96', '64:ff9b::/96']), at: 12 },
  { range: new AddressRanges(['2002::/16']), at: 2 }
]

const loopback = new AddressRanges(LOOPBACK)
const special = new HostList([...SPECIAL, ...SPECIAL_NAMES])

/**
 * Which hosts users may have replications ask: `[replicator] allowed_hosts` and `denied_hosts`.
 *
 * @param {import('../config/config').Config} config
 * @param {() => import('node:net').AddressInfo[]} listening where this server can be reached
 * @returns {{ refusal: NonNullable<import('@potoroo/replicator').ReplicatorOptions['refusal']> }}
 */
function peerHosts (config, listening) {
  const lists = config.section({ allowed: hosts('allowed_hosts'), denied: hosts('denied_hosts') })
  return {
    refusal (user, { host: given, address, port }) {
      if (isServerAdmin(user)) return null
      const host = plainName(given)
      const addresses = address === null ? [] : writings(address)
      const { allowed, denied } = lists.now
      if (denied.has(host, addresses)) return `Replications with ${host} are denied by this server: [replicator] denied_hosts`
      if (allowed.names(host, addresses)) return null
      if (special.has(host, addresses) && !isOwn(listening(), address, port)) return `Only administrators may replicate with ${host}: it is, or leads to, this machine, its link, or the metadata of a cloud`
      if (allowed.isEmpty || allowed.has(host, addresses)) return null
      return `Replications with ${host} are not allowed by this server: [replicator] allowed_hosts`
    }
  }
}

/** @param {string} key @returns {(config: Config) => HostList} */
function hosts (key) { return config => new HostList(entriesOf(config.get('replicator', key))) }

/** An address, and that of IPv4 which it stands for. @param {string} address */
function writings (address) {
  const [bare] = address.split('%', 1)
  if (!isIPv6(bare)) return isIP(bare) === 0 ? [] : [bare]
  const found = EMBEDDED.find(({ range }) => range.has(bare))
  return found === undefined ? [bare] : [bare, [...bytesOf(bare).subarray(found.at, found.at + 4)].join('.')]
}

/** @param {string} address of IPv6 */
function bytesOf (address) {
  // A URL has them all as hexadecimal groups.
  const [head, tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::').map(part => part.split(':').filter(Boolean))
  const groups = tail === undefined ? head : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
  return Buffer.from(groups.map(group => group.padStart(4, '0')).join(''), 'hex')
}

/**
 * Says whether an address and port are this server's own. A user who asks it through itself has no more rights than
 * before.
 *
 * @param {AddressInfo[]} listening
 * @param {string | null} address
 * @param {number} port
 */
function isOwn (listening, address, port) {
  if (address === null || !loopback.has(address)) return false
  return listening.some(own => own.port === port && [address, '::', ...(isIPv6(address) ? [] : ['0.0.0.0'])].includes(own.address))
}

module.exports = { peerHosts }
