/** Pages of a newspaper as its readers come to them; what an event's `url` and a request's Referer hold. */
export const pages: readonly string[] = [
  '2026/11/21/city/the-last-ferry-home-will-run-all-night-from-december?utm_source=newsletter&utm_medium=email&utm_campaign=morning-briefing&utm_content=lead-story-above-the-fold',
  '2026/11/21/politics/council-votes-on-the-new-tram-line-after-eleven-years-of-debate?utm_source=newsletter&utm_medium=email&utm_campaign=weekend&utm_content=lead-story-above-the-fold',
  '2026/11/20/science/what-the-ice-remembers-a-winter-with-the-glacier-watchers?utm_source=social&utm_medium=post&utm_campaign=long-reads-november&utm_content=lead-story-above-the-fold',
  '2026/11/20/culture/the-opera-house-opens-its-workshops-and-four-hundred-costumes?utm_source=app&utm_medium=push&utm_campaign=culture-of-the-week&utm_content=lead-story-above-the-fold',
  '2026/11/19/food/eleven-soups-for-a-long-november-and-one-that-takes-all-day?utm_source=newsletter&utm_medium=email&utm_campaign=the-kitchen-table&utm_content=lead-story-above-the-fold',
  '2026/11/19/sport/a-goalkeeper-of-forty-two-and-the-longest-season-of-the-league?utm_source=search&utm_medium=organic&utm_campaign=none&ref=frontpage&utm_content=lead-story-above-the-fold',
  '2026/11/18/opinion/we-should-keep-the-old-market-hall-and-here-is-what-it-costs?utm_source=newsletter&utm_medium=email&utm_campaign=letters-to-us&utm_content=lead-story-above-the-fold',
]

/** The site that the pages are on. */
export const siteOrigin = 'https://news.bench.localhost'
