'use strict'

/** `1234567` → `1,234,567` @param {number} number */
function count (number) {
  return number.toLocaleString('en')
}

/** `1 document`, `2 documents` @param {number} number @param {string} noun */
function several (number, noun) {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Bytes in the unit that leaves few digits. @param {number} bytes */
function size (bytes) {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  const step = bytes === 0 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10))
  return step === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** step).toFixed(1)} ${units[step]}`
}

/** Seconds as `45 s`, `3 min`, `2.5 h`. @param {number} seconds */
function duration (seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

/** Says what an import did, in a line. @param {any} summary */
function describeImport ({ documents, revisions, attachments, bytes, locals, present, checkpointsLeftOut, isPublic, skipped }) {
  const parts = [
    `${several(documents, 'document')} with ${several(revisions, 'leaf revision')}`,
    `${several(attachments, 'attachment')} (${size(bytes)} read)`,
    several(locals, 'local document')
  ]
  if (present > 0) parts.push(`${several(present, 'revision')} there already`)
  if (checkpointsLeftOut > 0) parts.push(`${several(checkpointsLeftOut, 'replication checkpoint')} left out, those replications compare from the start`)
  parts.push(skipped.length === 0 ? 'nothing skipped' : `${count(skipped.length)} SKIPPED`)
  if (isPublic) parts.push('OPEN: strangers may read and write it')
  return parts.join(', ')
}

/**
 * Says what a comparison found, in a line.
 *
 * @param {Record<'documents' | 'revisions' | 'attachments' | 'locals' | 'differences', number>} verdict
 */
function describeVerdict ({ documents, revisions, attachments, locals, differences }) {
  const compared = [several(documents, 'document'), several(revisions, 'leaf revision'), several(attachments, 'attachment'), several(locals, 'local document')]
  return `${compared.join(', ')} compared, ${differences === 0 ? 'no differences' : several(differences, 'DIFFERENCE')}`
}

module.exports = { count, duration, several, size, describeImport, describeVerdict }
