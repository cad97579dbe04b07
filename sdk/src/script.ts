console.log('sdk')
