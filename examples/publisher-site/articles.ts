/** A story of the paper. */
export interface Article {
  slug: string
  section: 'City' | 'Culture' | 'Science' | 'Food' | 'Opinion'
  title: string
  /** The sentence under the headline. */
  standfirst: string
  author: string
  /** How long before now it was published, as the example's news never grow old. */
  hoursAgo: number
  picture: string
  pictureAlt: string
  paragraphs: string[]
  quote: { text: string; by: string }
}

export const articles: readonly Article[] = [
  {
    slug: 'the-last-ferry-home',
    section: 'City',
    title: 'The last ferry home will run all night',
    standfirst:
      'For ninety years the harbour went quiet at eleven. From next month the boats keep going, and a city of early risers is learning to stay out late.',
    author: 'Marta Lindqvist',
    hoursAgo: 2,
    picture: 'ferry',
    pictureAlt: 'A ferry with lit windows crosses a dark harbour under a large moon',
    paragraphs: [
      'At ten minutes to eleven the queue at Pier 4 begins to shuffle. Nobody runs; in Acme everyone knows to the minute how long the walk from the theatres takes, and everyone has, at least once, arrived to see the stern lights pulling away. “You pay the water taxi forty crowns and you think about your choices,” says Ida Brandt, who plays second violin at the opera and lives on the north shore.',
      'From the first of next month there will be nothing to think about. The harbour company is putting two of its older boats, the Petrel and the Sandpiper, on the crossing from eleven until five, every half hour. It is the first change to the timetable since 1936.',
      'The idea did not come from a study. It came from a baker. Jonas Reyes starts work at three in the morning on the wrong side of the water, and for six years he has rowed. Last winter he wrote to the company, enclosing a photograph of his hands. The company wrote back, and then, to general surprise, it counted: on a normal weeknight more than two thousand people cross by road, a detour of nineteen kilometres, because the boats are asleep.',
      'Running two hulls through the night costs less than it sounds. They are already warm, already crewed for the late return, and the batteries that were fitted in spring charge in the time it takes to load. The company expects to lose money for a year and has said so plainly.',
      'Not everyone is pleased. The residents of Quayside have asked for the horn to be retired after midnight, and the captains, after a long meeting, have agreed to use a bell. It was found in the museum. It is, by all accounts, a lovely bell.',
    ],
    quote: {
      text: 'You pay the water taxi forty crowns and you think about your choices.',
      by: 'Ida Brandt, violinist',
    },
  },
  {
    slug: 'a-library-with-no-silence',
    section: 'Culture',
    title: 'A library with no silence, on purpose',
    standfirst:
      'The new branch at Tanner’s Yard lends drills, seedlings and a stage. Books are doing rather well out of it.',
    author: 'Theo Okafor',
    hoursAgo: 5,
    picture: 'library',
    pictureAlt: 'Tall shelves of coloured books around an arched window',
    paragraphs: [
      'The sign at the door says what you may not do: you may not eat soup near the maps. That is the whole list. Inside, on a Tuesday morning, someone is being taught the accordion.',
      'When the council merged three small branches into one large former tannery, the librarians asked for a room where people could be loud. They were given the building. “We thought about it,” says head librarian Esther Vale, “and decided that quiet was the thing that needed a room.” It has one, upstairs, with a heavy door and a waiting list for the armchairs.',
      'The rest is a kind of indoor street. There is a wall of tools on loan, a cabinet of seeds that members fill each autumn, a kitchen for language classes. Loans of printed books are up by a third on the three old branches together.',
      'Vale has a theory about this. “Nobody is brave in a silent room. Here you can pick up a book about bees, loudly, and ask the person next to you whether they keep any.” On the day of our visit the person next to us did.',
    ],
    quote: { text: 'Nobody is brave in a silent room.', by: 'Esther Vale, head librarian' },
  },
  {
    slug: 'what-the-marsh-remembers',
    section: 'Science',
    title: 'What the marsh remembers',
    standfirst:
      'A core of mud as long as a bus holds nine thousand summers. Researchers are reading it a millimetre at a time.',
    author: 'Priya Raman',
    hoursAgo: 9,
    picture: 'marsh',
    pictureAlt: 'Reeds and herons in a marsh in layered greens, hills behind',
    paragraphs: [
      'The mud arrives in eleven sections, wrapped like fish. Laid end to end on the long bench at the university it makes a brown ribbon with fine stripes: pale for summer, dark for winter, over and over, further than the eye wants to follow.',
      'It comes from the east end of the Saltern, where nothing with a propeller has ever gone, and it is unusually complete. “Mud is honest,” says Dr Anneke Bos, who led the drilling. “It takes what falls on it and it does not rearrange things to look better.”',
      'Under the microscope the stripes come apart into pollen, charcoal, the shells of creatures smaller than a full stop. A grey line the width of a thread is a volcano two thousand kilometres away. A sudden taste for rye is the year the first farmers came round the headland.',
      'What interests the team most are the floods. There are forty-one in the core, and they do not come evenly: they crowd together, three or four within a lifetime, then leave the coast alone for centuries. The last crowd ended in 1702. Where we are in the present gap is a question that Bos answers carefully, and with one hand on the bench.',
    ],
    quote: { text: 'Mud is honest.', by: 'Dr Anneke Bos' },
  },
  {
    slug: 'bread-at-three-in-the-morning',
    section: 'Food',
    title: 'Bread at three in the morning',
    standfirst:
      'There is a door on Mill Lane that opens when everything else is shut. Bring coins, and do not ask for the rye before five.',
    author: 'Luca Ferrante',
    hoursAgo: 14,
    picture: 'bread',
    pictureAlt: 'Loaves on a board before a glowing oven',
    paragraphs: [
      'You smell it from the bridge. By the time you reach the lane there is a line: two nurses, a taxi driver, a man in a dinner jacket, a child who should be asleep and is not. The door is green and the upper half of it is open.',
      'Jonas Reyes does not run a shop. He runs a bakery that supplies eleven restaurants, and for years the people who walked past at night would simply ask. He used to say no. Then he began to bake one tray too many, and then two.',
      'There are three things. A white roll with a crust that sings when it cools; a flat loaf with potato and rosemary, cut with scissors; and, from five, the rye, which needs until then and cannot be hurried. Everything costs the same, and you make your own change from a bowl.',
      'He has been offered a lease on the high street. He is thinking about it. “In the day people want to talk about bread,” he says, turning a tray without looking. “At night they want to eat it.”',
    ],
    quote: {
      text: 'In the day people want to talk about bread. At night they want to eat it.',
      by: 'Jonas Reyes, baker',
    },
  },
  {
    slug: 'in-praise-of-the-long-way-round',
    section: 'Opinion',
    title: 'In praise of the long way round',
    standfirst: 'My telephone knows a quicker route to everywhere. I have stopped asking it.',
    author: 'Hanne Oduya',
    hoursAgo: 26,
    picture: 'hills',
    pictureAlt: 'A winding path over soft hills towards a low sun',
    paragraphs: [
      'It began with a closed bridge. For three weeks the number 9 went by way of the allotments, and for three weeks I arrived everywhere eleven minutes late and in an excellent mood.',
      'There is nothing in the allotments. That is their quality. A man was tying up beans; a week later he was still tying up beans, higher. I began to wave. When the bridge opened again I found that I had no wish to go over it.',
      'I know the arguments. Time is short, and eleven minutes twice a day is a working week by the end of the year. But I have looked for that week, the one that I used to save, and I cannot tell you where I put it. The beans I remember.',
      'So this is a modest proposal. Once a week, let somebody else be early. Take the turning that you have never taken, and if it leads nowhere, so much the better; you will have it to yourself.',
    ],
    quote: {
      text: 'I have looked for the week that I used to save, and I cannot tell you where I put it.',
      by: 'Hanne Oduya',
    },
  },
  {
    slug: 'the-clock-that-kept-its-own-time',
    section: 'City',
    title: 'The clock that kept its own time is put right, and put back',
    standfirst:
      'Engineers repaired the station clock. Four days and nine hundred letters later, it is seven minutes slow again.',
    author: 'Samir Haddad',
    hoursAgo: 31,
    picture: 'clock',
    pictureAlt: 'A round station clock over a tiled hall',
    paragraphs: [
      'For as long as anyone can prove, the great clock at Acme Central has been seven minutes slow. Trains leave by another clock, a small digital one by the lockers that nobody has ever photographed.',
      'In March a crew from the railway opened the case, replaced a worn escapement, and set it to the second. By the evening the station’s inbox was full. People had missed nothing: they had simply known, all their lives, that there was a little more time than it said.',
      '“I proposed under that clock,” wrote one reader. “I was early by seven minutes and it was the longest wait of my life.” A schoolclass in Eastgate sent drawings. The theatre, whose curtain has gone up by station time since 1911, asked whether it should print new tickets.',
      'On Friday, at a hand-over without speeches, the same two engineers climbed the same ladder. It took them a quarter of an hour, or, as the clock had it, eight minutes.',
    ],
    quote: { text: 'There was always a little more time than it said.', by: 'A letter to the station' },
  },
]
