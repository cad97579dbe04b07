/** The sport section's league, a small one. */
export const teams = ['Harbour', 'Eastgate', 'Tanners', 'Northshore', 'Mill Lane', 'Saltern'] as const
export type Team = (typeof teams)[number]

export interface Match {
  round: number
  home: Team
  away: Team
  /** Goals of home and away; undefined while it is to be played. */
  score?: readonly [number, number]
}

export const matches: readonly Match[] = [
  { round: 1, home: 'Harbour', away: 'Saltern', score: [2, 0] },
  { round: 1, home: 'Eastgate', away: 'Mill Lane', score: [1, 1] },
  { round: 1, home: 'Tanners', away: 'Northshore', score: [3, 2] },
  { round: 2, home: 'Saltern', away: 'Eastgate', score: [0, 2] },
  { round: 2, home: 'Northshore', away: 'Harbour', score: [1, 1] },
  { round: 2, home: 'Mill Lane', away: 'Tanners', score: [0, 1] },
  { round: 3, home: 'Harbour', away: 'Tanners', score: [2, 2] },
  { round: 3, home: 'Eastgate', away: 'Northshore', score: [0, 1] },
  { round: 3, home: 'Mill Lane', away: 'Saltern', score: [4, 1] },
  { round: 4, home: 'Tanners', away: 'Eastgate' },
  { round: 4, home: 'Saltern', away: 'Northshore' },
  { round: 4, home: 'Harbour', away: 'Mill Lane' },
  { round: 5, home: 'Eastgate', away: 'Harbour' },
  { round: 5, home: 'Northshore', away: 'Mill Lane' },
  { round: 5, home: 'Tanners', away: 'Saltern' },
]

export interface Row {
  team: Team
  played: number
  won: number
  drawn: number
  lost: number
  goalDifference: number
  points: number
}

/** The table: points, then goal difference, then name. */
export function standings(): Row[] {
  const rows = teams.map(team => {
    const row: Row = { team, played: 0, won: 0, drawn: 0, lost: 0, goalDifference: 0, points: 0 }
    for (const { home, away, score } of matches) {
      if (!score || (home !== team && away !== team)) continue
      const margin = home === team ? score[0] - score[1] : score[1] - score[0]
      row.played++
      row.goalDifference += margin
      if (margin > 0) row.won++
      else if (margin === 0) row.drawn++
      else row.lost++
    }
    return { ...row, points: 3 * row.won + row.drawn }
  })
  return rows.sort(
    (a, b) => b.points - a.points || b.goalDifference - a.goalDifference || a.team.localeCompare(b.team),
  )
}
