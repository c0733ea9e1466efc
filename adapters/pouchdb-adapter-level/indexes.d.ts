/** Loaded for its effect: a page that imports it has the adapter's indexes at once, and does not load them when it first asks one. */
export {}
