'use strict'

const assert = require('node:assert')
const { stemmerOf } = require('../../lib/analyzers/stemmers')
const vocabularies = require('./snowball.json')

/** Words that Snowball stems otherwise since the version of the library. */
const most = { german: 4, greek: 1, italian: 1, norwegian: 1, swedish: 3, french: 4 }

describe('stemmers', () => {
  for (const [language, stems] of Object.entries(vocabularies)) {
    it(`of ${language} agree with Snowball's vocabulary`, () => {
      const stem = stemmerOf(language)
      const differing = Object.entries(stems).filter(([word, wanted]) => stem(word) !== wanted)
      assert.ok(differing.length <= (most[language] ?? 0), JSON.stringify(differing))
    })
  }

  it('of our own bring forms of a word together', () => {
    const forms = {
      czech: ['hrad hradu hradem hrady', 'kniha knihy knihou knih', 'matka matce matky'],
      galician: ['can cans', 'luz luces', 'animal animais', 'gato gata gatos'],
      latvian: ['tēvs tēvi tēviem tēvu', 'māja mājas mājām mājā'],
      polish: ['dom domu domem domy domów', 'książka książki książką', 'czytał czytała czytali czytać', 'dobry dobra dobrego dobrej dobrym']
    }
    for (const [language, groups] of Object.entries(forms)) {
      const stem = stemmerOf(language)
      for (const group of groups) {
        assert.strictEqual(new Set(group.split(' ').map(stem)).size, 1, `${group}: ${group.split(' ').map(stem)}`)
      }
    }
  })
})
