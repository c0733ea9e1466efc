'use strict'

const { comments, paragraphs } = require('./sentences')

/** Words that a sentence does not begin with, unless it is a question. */
const OPENING = /(?:^|[.:;!?] )((?:What|Who|Whose|Where|Of|Those|Nobody)\b[^.!?]*\??)/g

/** Turns of old, and the words of today. @type {[RegExp, string][]} */
const TURNS = [
  [/\banew\b/i, 'again'],
  [/\bbut for\b/i, 'except for'],
  [/\bso many\b/i, 'a number, or "that many"'],
  [/\b(is|or) no more\b(?! than)/i, 'no longer'],
  [/\b(thereof|therein|thereby|wherein|whereof|whereby|whereupon|hereby)\b/i, 'of it, in it, by which'],
  [/\b(hitherto|heretofore|henceforth|forthwith|ere|lest|nay|betwixt|amongst|whilst)\b/i, 'until now, from now on, at once, so that … not, among, while']
]

/**
 * @param {string} name of the file; its end says what it is
 * @param {string} content
 * @returns {{ line: number, found: string, advice: string }[]} sentences that somebody should rewrite
 */
function findings (name, content) {
  const blocks = name.endsWith('.md') ? paragraphs(content) : comments(content)
  return blocks.flatMap(({ line, text }) => {
    const prose = text.replace(/`[^`]*`/g, 'code').replace(/"[^"]*"/g, 'words')
    const openings = [...prose.matchAll(OPENING)].filter(([, sentence]) => !sentence.endsWith('?'))
      .map(([, sentence]) => ({ line, found: sentence.slice(0, 60), advice: 'begin with the subject or a verb' }))
    const turns = TURNS.filter(([turn]) => turn.test(prose))
      .map(([turn, today]) => ({ line, found: prose.match(turn)?.[0] ?? '', advice: `say ${today}` }))
    return [...openings, ...turns]
  })
}

module.exports = { findings }
